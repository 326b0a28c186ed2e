package io.sluice.server.command;

import io.sluice.server.config.Log.Output;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.wiring.Server;
import io.sluice.server.wiring.StartException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server's life on the command line: its start, the banner, its end by SIGTERM or because it can go on no longer. */
final class ServerRun {
    private static final Duration LONGEST_END = Duration.ofSeconds(30);

    private ServerRun() {}

    /** Starts a server. */
    interface Start {
        Server start(ServerConfig settings) throws StartException;
    }

    /**
     * Returns the exit code when the server has ended.
     *
     * @throws StartException it cannot start or go on, unless the log has said so already
     */
    static int of(PrintWriter screen, ServerConfig settings, Start start) throws StartException {
        boolean json = settings.log().output() == Output.JSON;
        try {
            serve(screen, start.start(settings), json);
            return 0;
        } catch (StartException e) {
            if (!json) {
                throw e;
            }
            log().error(e.getMessage());
            return 1;
        }
    }

    private static void serve(PrintWriter screen, Server server, boolean json) throws StartException {
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "shutdown"));
        if (json) {
            log().info(Banner.line(server.listeners(), server.dataFolder()));
        } else {
            screen.print(Banner.of(server.listeners(), server.dataFolder()));
            screen.flush();
        }
        try {
            server.awaitClosed();
        } catch (StartException e) {
            endWithin(LONGEST_END);
            throw e;
        }
    }

    /** Ends the process even if its stores, which may be why it ends, do not answer: whoever starts it again must not wait for that. */
    private static void endWithin(Duration time) {
        Thread.ofPlatform().daemon().name("end").start(() -> {
            LockSupport.parkNanos(time.toNanos());
            Runtime.getRuntime().halt(1);
        });
    }

    /** Not a field: the first logger fixes where the log goes. */
    private static Logger log() {
        return LoggerFactory.getLogger(ServerRun.class);
    }
}
