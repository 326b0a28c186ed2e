package io.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** docs/configuration.md is made from the records; run with {@code -Dsluice.docs.write=true} after changing a setting. */
class ReferencePageTest {
    private static final Path PAGE = Path.of("..", "docs", "configuration.md");

    @Test
    void thePageSaysWhatTheRecordsSay() throws Exception {
        String page = page();
        if (Boolean.getBoolean("sluice.docs.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(page);
    }

    private static String page() throws ReflectiveOperationException, IOException {
        var page = new StringBuilder("""
                # Settings

                `./sluice standalone --config FILE` reads a YAML file that names only what differs from the defaults below. An unknown
                key or a value out of range stops the start with one line that names it. Memory is set on the command line
                (`--memory 2g`) or by `SLUICE_MEMORY`; every pool is sized from it.

                `--set KEY=VALUE` gives a single setting, for example `--set kafka.port=19092`. It wins over the file and may be repeated.
                Other users of the machine can see it, so a secret belongs into the file. What the container image does differently
                is in [container.md](container.md).

                A setting marked *new stores only* is kept by the store that is made with it. Where the file says something else later,
                the store's value counts and the start warns of it in one line. Cluster id, node id and the partitions of Kafka's
                `__consumer_offsets` are kept in the same way and are not settings. All other settings may change from start to start; for
                `tier.kind`, `tier.directory` and the S3 bucket and prefix move the objects first (see [operations.md](operations.md)).
                """);
        for (RecordComponent section : ServerConfig.class.getRecordComponents()) {
            page.append("\n## ").append(section.getName()).append("\n\n");
            page.append(section.getAnnotation(Described.class).value()).append("\n\n");
            page.append("| setting | default | what it does |\n|---|---|---|\n");
            Object values = section.getAccessor().invoke(ServerConfig.defaults());
            addSettings(page, section.getName() + ".", section.getType(), values);
        }
        return page.toString();
    }

    private static void addSettings(StringBuilder page, String path, Class<?> type, Object values)
            throws ReflectiveOperationException {
        for (RecordComponent setting : type.getRecordComponents()) {
            Object value = setting.getAccessor().invoke(values);
            if (setting.getType().isRecord()) {
                addSettings(page, path + setting.getName() + ".", setting.getType(), value);
            } else {
                page.append("| `%s%s` | %s | %s |\n"
                        .formatted(
                                path,
                                setting.getName(),
                                value == null
                                        ? "(not given)"
                                        : value.toString().isEmpty() ? "(empty)" : "`" + value + "`",
                                setting.getAnnotation(Described.class).value()));
            }
        }
    }
}
