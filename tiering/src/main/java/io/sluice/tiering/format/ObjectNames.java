package io.sluice.tiering.format;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a container's object: {@code c<container>/<13 hex digits>/<16 hex digits>}. The middle part is the object's
 * number without its last three digits, so at most 4,096 objects share a folder.
 */
public final class ObjectNames {
    private static final Pattern NAME = Pattern.compile("c(0|[1-9][0-9]{0,8})/([0-9a-f]{13})/([0-9a-f]{16})");

    private ObjectNames() {}

    /** The container whose object has this name, or -1 if no container gives such a name. */
    public static int container(String name) {
        Matcher parts = NAME.matcher(name);
        return parts.matches() && parts.group(3).startsWith(parts.group(2)) ? Integer.parseInt(parts.group(1)) : -1;
    }

    /** With which all names of the container's objects begin, and no others. */
    public static String prefix(int container) {
        return "c" + container + "/";
    }

    public static String of(int container, long object) {
        String hex = String.format("%016x", object);
        return prefix(container) + hex.substring(0, 13) + "/" + hex;
    }
}
