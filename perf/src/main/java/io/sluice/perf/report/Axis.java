package io.sluice.perf.report;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;

/** Where a value lies between the ends of an axis, and which values are written at it. */
final class Axis {
    private static final int WANTED_STEPS = 4;
    /** From so many decades on, the labels of the powers of ten are enough. */
    private static final int MANY_DECADES = 3;

    private final String title;
    private final DoubleUnaryOperator scale;
    private final double low;
    private final double high;
    private final List<Tick> ticks;

    /** @param at from 0 to 1 */
    record Tick(double at, String label) {}

    private Axis(String title, DoubleUnaryOperator scale, double low, double high, List<Label> labels) {
        this.title = title;
        this.scale = scale;
        this.low = scale.applyAsDouble(low);
        this.high = scale.applyAsDouble(high);
        this.ticks = labels.stream()
                .map(label -> new Tick(at(label.value()), label.text()))
                .toList();
    }

    private record Label(double value, String text) {}

    /** From 0, to a round number at or above every value. */
    static Axis linear(String title, DoubleStream values) {
        double most = values.filter(Double::isFinite).max().orElse(0);
        double step = most > 0 ? roundUp(most / WANTED_STEPS) : 1;
        double high = most > 0 ? Math.ceil(most / step - 1e-9) * step : 1;
        List<Label> labels = new ArrayList<>();
        for (int i = 0; i * step <= high * (1 + 1e-9); i++) {
            labels.add(label(i * step));
        }
        return new Axis(title, DoubleUnaryOperator.identity(), 0, high, labels);
    }

    /** Seconds: from 0 to the last one, no further. */
    static Axis time(String title, double last) {
        double high = Math.max(last, 1);
        double step = Math.max(1, roundUp(high / WANTED_STEPS));
        List<Label> labels = new ArrayList<>();
        for (int i = 0; i * step <= high; i++) {
            labels.add(label(i * step));
        }
        return new Axis(title, DoubleUnaryOperator.identity(), 0, high, labels);
    }

    /** Logarithmic axis of the values above 0; others have no place on it. */
    static Axis log(String title, DoubleStream values) {
        double[] positive =
                values.filter(value -> value > 0 && Double.isFinite(value)).toArray();
        double least = Arrays.stream(positive).min().orElse(1);
        double most = Arrays.stream(positive).max().orElse(10);
        double low = roundDown(least);
        double high = roundUp(most);
        if (high / low < 5) {
            low = roundDown(low / 2);
            high = roundUp(high * 1.01);
        }
        boolean decadesOnly = Math.log10(high / low) >= MANY_DECADES;
        List<Label> labels = new ArrayList<>();
        for (int decade = (int) Math.floor(Math.log10(low)); Math.pow(10, decade) <= high * 1.001; decade++) {
            for (int digit : decadesOnly ? new int[] {1} : new int[] {1, 2, 5}) {
                double value = digit * Math.pow(10, decade);
                if (value >= low * 0.999 && value <= high * 1.001) {
                    labels.add(label(value));
                }
            }
        }
        return new Axis(title, value -> value > 0 ? Math.log10(value) : Double.NaN, low, high, labels);
    }

    /** Percentiles below 100, each further nine as wide as the one before: the shape of tails shows. */
    static Axis percentiles(String title, DoubleStream values) {
        double most = Math.max(99, values.filter(value -> value < 100).max().orElse(99));
        List<Label> labels = new ArrayList<>(List.of(new Label(0, "0"), new Label(50, "50")));
        BigDecimal hundred = BigDecimal.valueOf(100);
        for (BigDecimal rest = BigDecimal.TEN;
                hundred.subtract(rest).doubleValue() <= most;
                rest = rest.movePointLeft(1)) {
            BigDecimal percentile = hundred.subtract(rest);
            labels.add(new Label(
                    percentile.doubleValue(), percentile.stripTrailingZeros().toPlainString()));
        }
        return new Axis(title, value -> value < 100 ? -Math.log10(1 - value / 100) : Double.NaN, 0, most, labels);
    }

    String title() {
        return title;
    }

    List<Tick> ticks() {
        return ticks;
    }

    /** From 0 to 1; NaN for what cannot be drawn. */
    double at(double value) {
        double scaled = scale.applyAsDouble(value);
        return Double.isFinite(scaled) ? Math.clamp((scaled - low) / (high - low), 0, 1) : Double.NaN;
    }

    private static Label label(double value) {
        return new Label(value, Numbers.plain(value));
    }

    /** The next of 1, 2, 5, 10, 20, ... */
    private static double roundUp(double value) {
        double decade = Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
        for (int digit : new int[] {1, 2, 5}) {
            if (value <= digit * decade * (1 + 1e-9)) {
                return digit * decade;
            }
        }
        return 10 * decade;
    }

    private static double roundDown(double value) {
        double decade = Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
        for (int digit : new int[] {5, 2}) {
            if (value >= digit * decade * (1 - 1e-9)) {
                return digit * decade;
            }
        }
        return decade;
    }
}
