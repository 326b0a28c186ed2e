package io.sluice.server.command;

import io.sluice.server.command.AdminCalls.CallException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** Options of commands that ask a running server over HTTP, and of those below them. */
final class HttpOption {
    @Option(
            names = "--http-url",
            paramLabel = "URL",
            scope = ScopeType.INHERIT,
            description = "Where the server's HTTP is (default: ${DEFAULT-VALUE}).")
    private String url = "http://127.0.0.1:8080";

    @Option(
            names = "--http-credentials",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "File with a token, or with NAME:PASSWORD, for a server that asks who its clients are.")
    private @Nullable Path credentials;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "Certificates, PEM, of the authorities that https:// is trusted by (default: the system's).")
    private @Nullable Path authority;

    AdminCalls server() throws CallException {
        return AdminCalls.to(url, credentials, authority);
    }
}
