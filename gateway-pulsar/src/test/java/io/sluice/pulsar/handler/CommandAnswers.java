package io.sluice.pulsar.handler;

import org.apache.pulsar.common.api.proto.BaseCommand.Type;

/** Compares what a server answers with what the table of commands says. */
public final class CommandAnswers {
    private CommandAnswers() {}

    /** Throws if the table does not have this answer. */
    public static void check(Type asked, Type answer) {
        CommandTable.Row row = CommandTable.of(asked);
        if (row == null || !row.answers().contains(answer)) {
            throw new AssertionError(asked + " was answered with " + answer + ", which the table does not say");
        }
    }
}
