package io.sluice.server.command;

import io.sluice.server.command.AdminCalls.CallException;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The option of commands that ask a running server over HTTP, and of those below them. */
final class HttpOption {
    @Option(
            names = "--http-url",
            paramLabel = "URL",
            scope = ScopeType.INHERIT,
            description = "Where the server's HTTP is (default: ${DEFAULT-VALUE}).")
    private String url = "http://127.0.0.1:8080";

    AdminCalls server() throws CallException {
        return AdminCalls.to(url);
    }
}
