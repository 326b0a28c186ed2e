package io.sluice.server.security;

import io.sluice.server.Main;
import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * A command that has ended.
 *
 * @param code exit code
 * @param out all that it printed
 * @param err all that it said in error
 */
record CommandRun(int code, String out, String err) {
    static CommandRun of(String... words) {
        var out = new StringWriter();
        var err = new StringWriter();
        int code = Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err, true))
                .execute(words);
        return new CommandRun(code, out.toString(), err.toString());
    }
}
