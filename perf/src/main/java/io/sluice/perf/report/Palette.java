package io.sluice.perf.report;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One colour and one mark per system, the same in every report. The hues are those of Okabe and Ito, told apart with any colour
 * vision, darkened for white paper and lightened for dark screens; the marks tell them apart without colour.
 */
final class Palette {
    /** Drawn at the points of a line. */
    enum Mark {
        CIRCLE("M-4,0a4,4 0 1 0 8,0a4,4 0 1 0 -8,0z"),
        SQUARE("M-3.5,-3.5h7v7h-7z"),
        DIAMOND("M0,-5l5,5l-5,5l-5,-5z"),
        TRIANGLE("M0,-5l5,9h-10z"),
        TRIANGLE_DOWN("M0,5l5,-9h-10z"),
        CROSS("M-5,-2l3,-3l2,2l2,-2l3,3l-3,2l3,2l-3,3l-2,-2l-2,2l-3,-3l3,-2z");

        private final String path;

        Mark(String path) {
            this.path = path;
        }

        /** SVG path around 0, about 8 wide. */
        String path() {
            return path;
        }
    }

    /**
     * @param index from 0, unique
     * @param light RGB in hex, six digits, on white
     * @param dark RGB in hex, on near-black
     */
    record Ink(int index, String light, String dark, Mark mark) {
        /** Variable of the style sheet that has its colour. */
        String variable() {
            return "var(--ink" + index + ")";
        }
    }

    static final Ink SLUICE = new Ink(0, "0067B0", "5AB2F5", Mark.CIRCLE);
    private static final Map<String, Ink> KNOWN = Map.of(
            "sluice/kafka", SLUICE,
            "sluice/pulsar", new Ink(1, "0096A6", "5FDCE8", Mark.DIAMOND),
            "kafka/kafka", new Ink(2, "CF4A00", "FF8C57", Mark.SQUARE),
            "kafka-flush/kafka", new Ink(3, "B57F00", "F2BE42", Mark.TRIANGLE),
            "pulsar/pulsar", new Ink(4, "A83A80", "EE96CE", Mark.TRIANGLE_DOWN),
            "pravega/pravega", new Ink(5, "00805C", "47CFA0", Mark.CROSS));
    /** For targets with a name of the user's. */
    private static final List<Ink> OTHERS = List.of(
            new Ink(6, "555555", "C0C0C0", Mark.SQUARE),
            new Ink(7, "7A4A24", "D0A27C", Mark.DIAMOND),
            new Ink(8, "5B4BB5", "A99CF5", Mark.TRIANGLE),
            new Ink(9, "6B7A00", "C3D24A", Mark.CROSS));

    private final Map<String, Ink> inks = new LinkedHashMap<>(KNOWN);

    /** Several origins of one system share its colour. */
    Palette(List<MeasuredSystem> contenders) {
        contenders.stream().map(Palette::key).sorted().distinct().forEach(key -> {
            int others = inks.size() - KNOWN.size();
            inks.computeIfAbsent(key, absent -> OTHERS.get(others % OTHERS.size()));
        });
    }

    Ink of(MeasuredSystem contender) {
        Ink ink = inks.get(key(contender));
        if (ink == null) {
            throw new IllegalArgumentException("not in this palette: " + contender);
        }
        return ink;
    }

    /** Sluice under a protocol's client. */
    static Ink ofSluice(String protocol) {
        return KNOWN.getOrDefault("sluice/" + protocol, SLUICE);
    }

    /** Style rules that set the variables of all inks. */
    static String css() {
        return ":root{" + variables(Ink::light) + "}\n@media screen and (prefers-color-scheme:dark){:root{"
                + variables(Ink::dark) + "}}\n";
    }

    private static String variables(Function<Ink, String> color) {
        return all().stream()
                .map(ink -> "--ink" + ink.index() + ":#" + color.apply(ink))
                .collect(Collectors.joining(";"));
    }

    private static List<Ink> all() {
        return Stream.concat(KNOWN.values().stream(), OTHERS.stream())
                .sorted(Comparator.comparingInt(Ink::index))
                .toList();
    }

    private static String key(MeasuredSystem contender) {
        return contender.name() + "/" + contender.protocol();
    }
}
