package io.sluice.pulsar.registry;

/** A request to the registry that is refused, by the codes that its clients know. */
public final class RegistryException extends Exception {
    public static final int DENIED = 40301;
    public static final int NO_SUBJECT = 40401;
    public static final int NO_VERSION = 40402;
    public static final int NO_SCHEMA = 40403;
    public static final int SUBJECT_IS_DELETED = 40404;
    public static final int SUBJECT_NOT_DELETED = 40405;
    public static final int VERSION_IS_DELETED = 40406;
    public static final int VERSION_NOT_DELETED = 40407;
    public static final int NO_LEVEL = 40408;
    public static final int NO_MODE = 40409;
    public static final int INCOMPATIBLE = 409;
    public static final int BAD_SCHEMA = 42201;
    public static final int BAD_VERSION = 42202;
    public static final int BAD_LEVEL = 42203;
    public static final int BAD_MODE = 42204;
    public static final int NOT_PERMITTED = 42205;
    public static final int REFERENCED = 42206;
    public static final int BAD_SUBJECT = 42208;
    public static final int BAD_RULES = 42210;
    public static final int UNAVAILABLE = 50001;

    private static final int NOT_FOUND = 404;
    private static final int CODES_OF_A_STATUS = 100;
    private static final int FIRST_LONG = 1_000;

    private final int code;

    public RegistryException(int code, String message) {
        super(message, null, false, false);
        this.code = code;
    }

    /** Metadata cannot be read or written now. */
    public static RegistryException unavailable() {
        return new RegistryException(UNAVAILABLE, "metadata is not available now");
    }

    /** The path is not there, 404, or not with this method, 405. */
    public static RegistryException notServed(int status) {
        return new RegistryException(
                status, status == NOT_FOUND ? "HTTP 404 Not Found" : "HTTP " + status + " Method Not Allowed");
    }

    public int code() {
        return code;
    }

    /** HTTP status that goes with the code. */
    public int status() {
        return code < FIRST_LONG ? code : code / CODES_OF_A_STATUS;
    }

    public String message() {
        return String.valueOf(getMessage());
    }
}
