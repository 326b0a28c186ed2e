package io.sluice.pulsar.answers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One thing in which an answer is not Pulsar's.
 *
 * @param step of the scenario
 * @param place a JSON pointer into the body, or {@code status} or {@code content-type}
 */
record Difference(
        String step,
        How how,
        String place,
        @Nullable Object pulsars,
        @Nullable Object ours) {
    enum How {
        /** Pulsar answers it, this server does not. */
        MISSING,
        /** This server answers it, Pulsar does not. */
        MORE,
        /** Both do, with another type of JSON. */
        TYPE,
        /** Both do, with another value of one type. */
        VALUE
    }

    @Override
    public String toString() {
        return how.name().toLowerCase(java.util.Locale.ROOT) + " | " + step + " | " + place + "     Pulsar: "
                + brief(pulsars) + "   here: " + brief(ours);
    }

    private static String brief(@Nullable Object value) {
        String text = String.valueOf(value);
        return text.length() <= 120 ? text : text.substring(0, 120) + "...";
    }

    static List<Difference> between(List<Answer> pulsars, List<Answer> ours) {
        Map<String, Answer> byStep = ours.stream().collect(Collectors.toMap(Answer::step, a -> a));
        List<Difference> found = new ArrayList<>();
        for (Answer a : pulsars) {
            Answer b = Objects.requireNonNull(byStep.get(a.step()), a.step());
            compare(found, a.step(), "status", a.status(), b.status());
            compare(found, a.step(), "content-type", a.contentType(), b.contentType());
            compare(found, a.step(), "", a.body(), b.body());
        }
        return found;
    }

    private static void compare(
            List<Difference> found, String step, String place, @Nullable Object a, @Nullable Object b) {
        if (Objects.equals(a, b)) {
            return;
        }
        if (a instanceof Map<?, ?> m && b instanceof Map<?, ?> n) {
            compareFields(found, step, place, m, n);
        } else if (a instanceof List<?> l && b instanceof List<?> k) {
            compareFields(found, step, place, byKey(l), byKey(k));
        } else {
            How how = a == null ? How.MORE : b == null ? How.MISSING : Kind.of(a) == Kind.of(b) ? How.VALUE : How.TYPE;
            found.add(new Difference(step, how, place, a, b));
        }
    }

    private static void compareFields(List<Difference> found, String step, String place, Map<?, ?> a, Map<?, ?> b) {
        Set<Object> names = new TreeSet<>(a.keySet());
        names.addAll(b.keySet());
        for (Object name : names) {
            String at = place + '/' + name.toString().replace("~", "~0").replace("/", "~1");
            if (a.containsKey(name) && b.containsKey(name)) {
                compare(found, step, at, a.get(name), b.get(name));
            } else {
                How how = b.containsKey(name) ? How.MORE : How.MISSING;
                found.add(new Difference(step, how, at, a.get(name), b.get(name)));
            }
        }
    }

    /** Texts stand for themselves, so that one more or fewer in a list is one difference. */
    private static Map<String, @Nullable Object> byKey(List<?> items) {
        Map<String, @Nullable Object> byKey = new LinkedHashMap<>();
        for (int i = 0; i < items.size(); i++) {
            Object item = items.get(i);
            byKey.put(item instanceof String text ? text : Integer.toString(i), item);
        }
        return byKey;
    }
}
