package io.sluice.tiering.objectstore;

import java.util.regex.Pattern;

/**
 * Names of objects: parts of {@code a-z 0-9 - _ .}, joined by single slashes, no part beginning with a dot, 200
 * characters at most. So every store takes it as it is, and none can be led out of its folder.
 */
public final class ObjectName {
    private static final int MAX_LENGTH = 200;
    private static final Pattern VALID = Pattern.compile("[a-z0-9_-][a-z0-9._-]*(/[a-z0-9_-][a-z0-9._-]*)*");

    private ObjectName() {}

    /** Returns {@code name}. */
    public static String check(String name) {
        if (!isValid(name)) {
            throw new IllegalArgumentException("Not an object name: " + name);
        }
        return name;
    }

    public static boolean isValid(String name) {
        return name.length() <= MAX_LENGTH && VALID.matcher(name).matches();
    }
}
