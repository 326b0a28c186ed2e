package io.sluice.server;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Rings of classes: strongly connected components of class dependencies within one package, nested classes counted as their top-level
 * class. Two classes may know each other; more are a ring that nobody can read, test or change a piece of.
 */
final class ClassRings {
    private static final int ALLOWED = 2;

    /** Package to top-level class to classes of the same package that it uses. */
    private final Map<String, Map<String, Set<String>>> packages = new TreeMap<>();

    ClassRings(JavaClasses classes) {
        for (JavaClass each : classes) {
            Set<String> uses = packages.computeIfAbsent(each.getPackageName(), name -> new TreeMap<>())
                    .computeIfAbsent(topLevel(each), name -> new TreeSet<>());
            for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (target.getPackageName().equals(each.getPackageName())) {
                    uses.add(topLevel(target));
                }
            }
        }
    }

    /**
     * Compares with the list of exceptions, one line each: {@code package size-of-its-largest-ring}, sorted; {@code #} opens a comment.
     *
     * @return one line for each ring that is not listed or larger than listed, and for each line that allows more than there is
     */
    List<String> violations(Path exceptions) throws IOException {
        List<String> lines = Files.readAllLines(exceptions).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
        List<String> found = new ArrayList<>();
        if (!lines.equals(lines.stream().sorted().distinct().toList())) {
            found.add("the list of exceptions is not sorted");
        }
        Map<String, Integer> listed = new TreeMap<>();
        for (String line : lines) {
            String[] words = line.split(" ");
            listed.put(words[0], Integer.parseInt(words[1]));
        }
        Set<String> names = new TreeSet<>(packages.keySet());
        names.addAll(listed.keySet());
        for (String name : names) {
            Set<String> ring = largest(name);
            int size = ring.size() > ALLOWED ? ring.size() : 0;
            int allowed = listed.getOrDefault(name, 0);
            if (size > allowed) {
                found.add(name + " has a ring of " + size + ", the list allows " + allowed + ": "
                        + String.join(" ", ring));
            } else if (size < allowed) {
                found.add(
                        name + " is listed with " + allowed + " and has " + size + ": lower the line or take it away");
            }
        }
        return found;
    }

    /** Largest ring of a package, as simple names, sorted: empty if there is none. */
    Set<String> largest(String packageName) {
        Map<String, Set<String>> uses = packages.getOrDefault(packageName, Map.of());
        Set<String> largest = Set.of();
        for (Collection<String> ring : new Components(uses).found) {
            if (ring.size() > Math.max(1, largest.size())) {
                largest = new TreeSet<>();
                for (String each : ring) {
                    largest.add(each.substring(packageName.length() + 1));
                }
            }
        }
        return largest;
    }

    private static String topLevel(JavaClass each) {
        String name = each.getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    /** Tarjan's algorithm; recursive, as a package has few classes. */
    private static final class Components {
        private final List<Collection<String>> found = new ArrayList<>();
        private final Map<String, Set<String>> uses;
        private final Map<String, Integer> numbers = new HashMap<>();
        private final Deque<String> open = new ArrayDeque<>();

        Components(Map<String, Set<String>> uses) {
            this.uses = uses;
            for (String each : uses.keySet()) {
                if (!numbers.containsKey(each)) {
                    visit(each);
                }
            }
        }

        /** Returns the lowest number that is reached from there among the classes whose component is open. */
        private int visit(String each) {
            int number = numbers.size();
            numbers.put(each, number);
            open.push(each);
            int lowest = number;
            for (String next : uses.getOrDefault(each, Set.of())) {
                Integer known = numbers.get(next);
                if (known == null) {
                    lowest = Math.min(lowest, visit(next));
                } else if (open.contains(next)) {
                    lowest = Math.min(lowest, known);
                }
            }
            if (lowest == number) {
                Set<String> component = new LinkedHashSet<>();
                String last;
                do {
                    last = open.pop();
                    component.add(last);
                } while (!last.equals(each));
                found.add(component);
            }
            return lowest;
        }
    }
}
