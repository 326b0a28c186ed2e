package io.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** docs/configuration.md and docs/bookie.md are made from the records; run with {@code -Dsluice.docs.write=true} after changing a setting. */
class ReferencePageTest {
    private static final Path DOCS = Path.of("..", "..", "docs");

    @Test
    void thePageSaysWhatTheRecordsSay() throws Exception {
        check("configuration.md", SERVER, ServerConfig.class, ServerConfig.defaults());
    }

    @Test
    void thePageOfTheBookieSaysWhatItsRecordsSay() throws Exception {
        check("bookie.md", BOOKIE, BookieConfig.class, BookieConfig.defaults());
    }

    private static void check(String name, String begin, Class<?> type, Object defaults) throws Exception {
        String page = page(begin, type, defaults);
        if (Boolean.getBoolean("sluice.docs.write")) {
            Files.writeString(DOCS.resolve(name), page);
        }
        assertThat(Files.readString(DOCS.resolve(name))).isEqualTo(page);
    }

    private static final String SERVER = """
                # Settings

                `./sluice standalone --config FILE` reads a YAML file that names only what differs from the defaults below, and so does
                `./sluice server` ([cluster](cluster.md)). An unknown key, a value out of range, or a setting that only the other of the
                two has stops the start with one line that names it. Memory is set on the command line
                (`--memory 2g`) or by `SLUICE_MEMORY`; every pool is sized from it.

                `--set KEY=VALUE` gives a single setting, for example `--set kafka.port=19092`. It wins over the file and may be repeated.
                Other users of the machine can see it, so a secret belongs into the file. What the container image does differently
                is in [container.md](container.md).

                A setting marked *new stores only* is kept by the store that is made with it. Where the file says something else later,
                the store's value counts and the start warns of it in one line. Cluster id, standalone's node id and the partitions of Kafka's
                `__consumer_offsets` are kept in the same way and are not settings. All other settings may change from start to start; for
                `tier.kind`, `tier.directory` and the S3 bucket and prefix move the objects first (see [operations.md](operations.md)).
                """;

    private static final String BOOKIE = """
            # Bookies of a cluster

            `./sluice bookie --config FILE --data DIR` runs a bookie: BookKeeper's own server, with a journal that is its ledger storage
            ([0012](adr/0012-the-journal-is-the-ledger-storage.md)). It is made for logs: entries are written once, read in recovery, and deleted soon. Stock
            bookies work beside it, in one ensemble, too. All bookies of a cluster register in one metadata store, ZooKeeper or etcd.

            - **Id.** It stays with the folder. A bookie does not start on an empty folder with an id that was used, nor on a folder whose
              journal is damaged where it was acknowledged: it would deny what it once had. Start one with another id on an empty folder; the others
              copy to it what the lost one had, once that was away for `recovery.lostAfterSeconds`.
            - **A full disk** makes it read-only: it is read, ledgers are deleted, and it takes writes again when there is room.
            - **A start** reads its journal through, and cuts off what a crash left half-written. That is told by the checksums of entries, which it
              knows of digest `CRC32C`; of ledgers with another digest only their readers can tell
              ([0066](adr/0066-a-bookie-of-a-cluster-has-the-journal-too.md)).
            - **Roles.** `--role bookie` leaves autorecovery to others, `--role autorecovery` does nothing else and needs no folder but for its log; `both` is
              the default. `./sluice server --with-bookie` has a bookie in the server's process ([cluster](cluster.md#three-machines-in-ten-commands)).
            - **HTTP** (`http.port`): `/health`; `/ready`; `/metrics`, with `sluice_bookie_writable`, `sluice_bookie_journal_bytes` and
              `sluice_bookie_ledgers` beside those of the process; and BookKeeper's own HTTP admin (`/heartbeat`, `/api/v1/...`) as its documentation has it, so
              that tools find it: state, read-only and back, bookies, ledgers and their metadata, autorecovery. Ledgers are neither deleted nor read, and
              there is no garbage collection by hand. It asks for no password: let nobody reach it who may not use it.
            - **Memory** (`--memory`): `journal.queueBytes`, 1,000 requests that are under way, and about 48 bytes for each entry that is read.

            The YAML file names only what differs from the defaults below; `--set address.port=3182` gives a single setting.
            """;

    private static String page(String begin, Class<?> type, Object defaults)
            throws ReflectiveOperationException, IOException {
        var page = new StringBuilder(begin);
        for (RecordComponent section : type.getRecordComponents()) {
            page.append("\n## ").append(section.getName()).append("\n\n");
            page.append(section.getAnnotation(Described.class).value()).append("\n\n");
            page.append("| setting | default | what it does |\n|---|---|---|\n");
            Object values = section.getAccessor().invoke(defaults);
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
