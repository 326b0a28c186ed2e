package io.sluice.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A JVM that lives for seconds or minutes, as those of the tests: most of what it costs is its start. */
final class BriefJvm {
    /** What makes it cheaper; {@code test.brief} in the root's {@code pom.xml}. */
    static final String OPTIONS = System.getProperty("test.brief", "");

    private BriefJvm() {}

    /** A command that runs the tests' own Java with these arguments. */
    static List<String> command(String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow()));
        Stream.of(OPTIONS.split(" ")).filter(option -> !option.isBlank()).forEach(command::add);
        command.addAll(List.of(arguments));
        return command;
    }
}
