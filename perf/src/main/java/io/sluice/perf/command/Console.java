package io.sluice.perf.command;

import io.sluice.perf.machine.ThisMachine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Standard output and error of the command that it is mixed into. */
@Command // without it a mixin must have options
public final class Console {
    private static final int FAILED = 1;

    @Spec(Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli before a command is called
    private CommandSpec command;

    /** A line of the answer. */
    public void print(String line) {
        command.commandLine().getOut().println(line);
        command.commandLine().getOut().flush();
    }

    public void printMachine() {
        var machine = ThisMachine.describe();
        print(machine.cpu() + ", " + machine.cores() + " cores, commit " + ThisMachine.commit());
    }

    public void progress(String line) {
        command.commandLine().getErr().println(line);
        command.commandLine().getErr().flush();
    }

    /**
     * Tells why the command ends.
     *
     * @return its exit code
     */
    public int fail(Exception reason) {
        progress(command.name() + ": " + reason.getMessage());
        return FAILED;
    }
}
