package io.sluice.tiering.format;

/**
 * The name of a container's object: {@code c<container>/<13 hex digits>/<16 hex digits>}. The middle part is the object's
 * number without its last three digits, so at most 4,096 objects share a folder.
 */
public final class ObjectNames {
    private ObjectNames() {}

    public static String of(int container, long object) {
        String hex = String.format("%016x", object);
        return "c" + container + "/" + hex.substring(0, 13) + "/" + hex;
    }
}
