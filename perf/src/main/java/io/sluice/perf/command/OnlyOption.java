package io.sluice.perf.command;

import picocli.CommandLine.Option;

/** {@code --only} of commands that measure several loads. */
public final class OnlyOption {
    @Option(names = "--only", paramLabel = "TEXT", description = "Only the loads whose name contains it.")
    private String text = "";

    public boolean matches(String name) {
        return name.contains(text);
    }

    public String text() {
        return text;
    }
}
