package io.sluice.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.Main;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.wiring.Server;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class AuditTierCommandTest {
    private static final String FREE_PORTS = "kafka: {port: 0}\npulsar: {port: 0}\nhttp: {port: 0}\n";

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void refusesWhileAServerRunsAndRemovesOrphansOfOneThatDoesNot() throws Exception {
        Path orphan = folder.resolve("tier/c1/0000000100000/00000001000000ab");
        Path foreign = folder.resolve("tier/readme.txt");
        try (Server server = start()) {
            assertThat(server.dataFolder()).exists();
            assertThat(run()).isEqualTo(1);
            assertThat(err.toString()).contains("is in use by another server").hasLineCount(1);
        }
        Files.createDirectories(orphan.getParent());
        Files.write(orphan, new byte[1_234]);
        Files.write(foreign, new byte[7]);

        assertThat(run()).isZero();
        assertThat(out.toString())
                .contains("orphan   c1/0000000100000/00000001000000ab  1,234 bytes")
                .contains("foreign  readme.txt")
                .contains("1 orphans, 1,234 bytes; 0 objects missing");
        assertThat(orphan).exists();

        assertThat(run("--remove")).isZero();
        assertThat(out.toString()).contains("removed 1 orphans");
        assertThat(orphan).doesNotExist();
        assertThat(foreign).exists();
        try (Server again = start()) {
            assertThat(again.dataFolder()).exists();
        }
    }

    @Test
    void saysSoWhereThereIsNoStore() {
        assertThat(run()).isEqualTo(1);
        assertThat(err.toString()).contains("there is no store in").hasLineCount(1);
        assertThat(folder).isEmptyDirectory();
    }

    private Server start() throws Exception {
        return Server.standalone(ConfigFile.parse(FREE_PORTS, "test"), folder, new MemoryBudget(MemoryBudget.LEAST));
    }

    private int run(String... more) {
        CommandLine line = Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err, true));
        String[] arguments = new String[3 + more.length];
        arguments[0] = "audit-tier";
        arguments[1] = "--data";
        arguments[2] = folder.toString();
        System.arraycopy(more, 0, arguments, 3, more.length);
        return line.execute(arguments);
    }
}
