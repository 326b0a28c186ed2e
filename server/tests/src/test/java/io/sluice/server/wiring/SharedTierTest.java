package io.sluice.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.Main;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two stores that were given one place for their objects. */
class SharedTierTest {
    @TempDir
    private Path folder;

    private String settings() {
        return "kafka: {port: 0}\npulsar: {port: 0}\nhttp: {port: 0}\ntier: {directory: " + folder.resolve("shared")
                + "}\n";
    }

    private Server start(String data) throws Exception {
        return Server.standalone(
                ConfigFile.parse(settings(), "test"), folder.resolve(data), new MemoryBudget(MemoryBudget.LEAST));
    }

    @Test
    void theSecondIsRefusedAndTheFirstGoesOn() throws Exception {
        Path orphan = folder.resolve("shared/c0/0000000100000/00000001000000ab");
        start("first").close();
        assertThatThrownBy(() -> start("second"))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("another Sluice")
                .hasMessageContaining("give each a bucket, prefix or folder of its own");
        Files.createDirectories(orphan.getParent());
        Files.write(orphan, new byte[9]);

        StringWriter err = new StringWriter();
        Path config = Files.writeString(folder.resolve("sluice.yaml"), settings());
        for (String command : new String[] {"audit-tier", "verify-data"}) {
            StringWriter text = new StringWriter();
            int code = Main.commandLine()
                    .setOut(new PrintWriter(text))
                    .setErr(new PrintWriter(text, true))
                    .execute(command, "--data", folder.resolve("second").toString(), "--config", config.toString());
            assertThat(code).as(command).isEqualTo(1);
            assertThat(text.toString()).as(command).contains("another Sluice");
            err.append(text.toString());
        }
        assertThat(orphan).exists();
        assertThat(err.toString()).doesNotContain("\tat ");
        start("first").close();
    }
}
