package io.sluice.server;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Table of packages in ARCHITECTURE.md. A row is a package and those below it that have no row of their own; its third cell names what of
 * ours it may use: rows, {@code x.*} for x and all below, single classes, {@code x.{a,b}} for x.a and x.b.
 */
final class PackageTable {
    private static final Path DOCUMENT = Path.of("..", "..", "ARCHITECTURE.md");
    private static final String HEADER = "| package | for | may use, of ours | and |";
    private static final String ROOT = "io.sluice.";
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");
    private static final Pattern BRACES = Pattern.compile("(.*)\\{(.+)}");
    private static final int CELL_OF_NAME = 1;
    private static final int CELL_OF_USES = 3;

    private final Map<String, Set<String>> rows = new TreeMap<>();

    static PackageTable read() throws IOException {
        List<String> lines = Files.readAllLines(DOCUMENT);
        var table = new PackageTable();
        int header = lines.indexOf(HEADER);
        if (header < 0) {
            throw new IllegalStateException("ARCHITECTURE.md has no line " + HEADER);
        }
        for (int i = header + 2; lines.get(i).startsWith("|"); i++) {
            String[] cells = lines.get(i).split("\\|", -1);
            for (String row : names(cells[CELL_OF_NAME])) {
                if (table.rows.put(row, names(cells[CELL_OF_USES])) != null) {
                    throw new IllegalStateException("ARCHITECTURE.md has two rows of " + row);
                }
            }
        }
        return table;
    }

    /** Uses of our classes by our classes that the table does not name, one line each. */
    Set<String> violations(JavaClasses classes) {
        Set<String> found = new TreeSet<>();
        for (JavaClass each : classes) {
            String row = row(each);
            for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (row != null && isOurs(target) && !mayUse(row, target)) {
                    found.add(row + " uses " + target.getName() + ": " + each.getSimpleName());
                }
            }
        }
        return found;
    }

    /** Packages without a row. */
    Set<String> missing(JavaClasses classes) {
        Set<String> found = new TreeSet<>();
        for (JavaClass each : classes) {
            if (row(each) == null) {
                found.add(each.getPackageName());
            }
        }
        return found;
    }

    /** Rows without a class, and names in the third cell that are nothing. */
    List<String> superfluous(JavaClasses classes) {
        Set<String> known = new HashSet<>();
        for (JavaClass each : classes) {
            known.add(each.getName().substring(ROOT.length()));
            String row = row(each);
            if (row != null) {
                known.add(row);
            }
        }
        List<String> found = new ArrayList<>();
        rows.forEach((row, uses) -> {
            if (!known.contains(row)) {
                found.add("row " + row);
            }
            for (String use : uses) {
                String name = use.endsWith(".*") ? use.substring(0, use.length() - 2) : use;
                if (!name.equals("*")
                        && !known.contains(name)
                        && known.stream().noneMatch(each -> each.startsWith(name + '.'))) {
                    found.add(row + " may use " + use);
                }
            }
        });
        return found;
    }

    private boolean mayUse(String row, JavaClass target) {
        String targetRow = row(target);
        return row.equals(targetRow)
                || rows.getOrDefault(row, Set.of()).stream().anyMatch(use -> covers(use, target, targetRow));
    }

    private static boolean covers(String use, JavaClass target, @Nullable String targetRow) {
        if (use.equals("*")) {
            return true;
        }
        if (use.endsWith(".*")) {
            return target.getName().startsWith(ROOT + use.substring(0, use.length() - 1));
        }
        return use.equals(targetRow) || (target.getName() + '$').startsWith(ROOT + use + '$');
    }

    private @Nullable String row(JavaClass each) {
        String name = each.getPackageName()
                .substring(Math.min(ROOT.length(), each.getPackageName().length()));
        while (!rows.containsKey(name)) {
            int dot = name.lastIndexOf('.');
            if (dot < 0) {
                return null;
            }
            name = name.substring(0, dot);
        }
        return name;
    }

    private static boolean isOurs(JavaClass each) {
        return each.getName().startsWith(ROOT);
    }

    private static Set<String> names(String cell) {
        Set<String> names = new TreeSet<>();
        Matcher name = NAME.matcher(cell);
        while (name.find()) {
            Matcher braces = BRACES.matcher(name.group(1));
            if (braces.matches()) {
                for (String each : braces.group(2).split(",")) {
                    names.add(braces.group(1) + each);
                }
            } else {
                names.add(name.group(1));
            }
        }
        return names;
    }
}
