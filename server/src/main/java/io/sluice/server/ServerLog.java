package io.sluice.server;

import java.nio.file.Path;

/** Where a server's log goes. Must be said before the first logger is made: logback reads its file once. */
final class ServerLog {
    private ServerLog() {}

    static void into(Path folder) {
        System.setProperty("sluice.logs", folder.toString());
        System.setProperty("logback.configurationFile", "logback-server.xml");
    }
}
