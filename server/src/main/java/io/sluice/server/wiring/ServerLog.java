package io.sluice.server.wiring;

import io.sluice.server.config.Log.Output;
import java.nio.file.Path;

/**
 * Where a server's log goes. Must be said before the first logger is made: logback reads its file once. The properties name
 * appenders of {@code logback-server.xml}.
 */
public final class ServerLog {
    private ServerLog() {}

    /** Sets the output on the terminal: for a person, unless the installation or a setting wants all of the log. */
    public static void show(Output output) {
        boolean all = output == Output.JSON || Boolean.getBoolean("sluice.log.all");
        System.setProperty("sluice.log.warnings", all ? "none" : "screen");
        System.setProperty("sluice.log.lines", output == Output.JSON ? "json" : all ? "lines" : "none");
        System.setProperty("logback.configurationFile", "logback-server.xml");
    }

    /** For commands that say by themselves what is wrong. */
    public static void off() {
        System.setProperty("logback.configurationFile", "logback-check.xml");
    }

    public static void into(Path folder) {
        System.setProperty("sluice.logs", folder.toString());
        System.setProperty("sluice.log.file", "file");
        System.setProperty("logback.configurationFile", "logback-server.xml");
    }
}
