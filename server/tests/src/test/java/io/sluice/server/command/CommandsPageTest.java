package io.sluice.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** docs/commands.md is made from the commands; run with {@code -Dsluice.docs.write=true} after changing one. */
class CommandsPageTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "commands.md");
    private static final int WIDTH = 110;

    @Test
    void thePageSaysWhatTheCommandsSay() throws IOException {
        String page = page();
        if (Boolean.getBoolean("sluice.docs.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(page);
    }

    private static String page() {
        var page = new StringBuilder("""
                # Commands

                What `./sluice COMMAND --help` says. `./sluice perf --help` has the commands that [measure](performance-testing.md).
                """);
        add(page, Main.commandLine(), "sluice");
        return page.toString();
    }

    private static void add(StringBuilder page, CommandLine command, String name) {
        command.setUsageHelpWidth(WIDTH);
        page.append("\n## ").append(name).append("\n\n```text\n");
        command.getUsageMessage(Ansi.OFF)
                .lines()
                .map(String::stripTrailing)
                .forEach(line -> page.append(line).append('\n'));
        page.append("```\n");
        command.getSubcommands().forEach((word, below) -> {
            if (!below.getCommandSpec().usageMessage().hidden() && !word.equals("help")) {
                add(page, below, name + ' ' + word);
            }
        });
    }
}
