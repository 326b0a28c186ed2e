package io.sluice.server.wiring;

import java.net.BindException;
import org.jspecify.annotations.Nullable;

/** The line for a listener that cannot be bound: it names the setting that moves it. */
final class PortInUse {
    private PortInUse() {}

    static String line(String listener, String host, int port, Throwable failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException
                    || String.valueOf(cause.getMessage()).contains("in use")) {
                return "port " + port + " on " + host + " is in use: stop what uses it, or set " + listener
                        + ".port to another one";
            }
        }
        return "cannot listen on " + host + ":" + port + " (" + failure.getMessage() + "): change " + listener
                + ".host or " + listener + ".port";
    }
}
