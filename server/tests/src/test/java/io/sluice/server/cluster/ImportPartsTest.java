package io.sluice.server.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.Metadata;
import io.sluice.tiering.objectstore.FakeObjectStore;
import io.sluice.tiering.objectstore.FakeObjectStore.Call;
import io.sluice.tiering.objectstore.FakeObjectStore.Fault;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoredObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Steps of an import, each of which is repeated after an interruption. */
class ImportPartsTest {
    private final InMemoryMetadata from = new InMemoryMetadata();
    private final InMemoryMetadata to = new InMemoryMetadata();
    private final FakeObjectStore source = new FakeObjectStore();
    private final FakeObjectStore target = new FakeObjectStore();

    @Test
    void recordsAreThoseOfTheSourceWhateverAnEarlierTryLeft() throws Exception {
        put(from, "/sluice/topics/a", "1");
        put(from, "/sluice/topics/b", "1");
        put(from, "/sluice/containers/0/log", "chain");
        put(from, "/sluice/containers/0/lease", "standalone");
        put(from, "/sluice/cluster", "layout");
        put(from, "/ledgers/00/0000/L0001", "ledger");
        put(from, "/ledgers/available/standalone", "here");
        put(to, "/sluice/import", "mark");
        to.failNextPut(true);
        assertThatThrownBy(() -> new CopyRecords(from, to).run()).isInstanceOf(IOException.class);
        // standalone is started once more
        replace(from, "/sluice/topics/a", "2");
        from.delete("/sluice/topics/b", version(from, "/sluice/topics/b"));
        put(to, "/sluice/bookies/other", "came meanwhile");

        assertThat(new CopyRecords(from, to).run()).isEqualTo(3);
        assertThat(value(to, "/sluice/topics/a")).isEqualTo("2");
        assertThat(to.get("/sluice/topics/b")).isNull();
        assertThat(value(to, "/sluice/containers/0/log")).isEqualTo("chain");
        assertThat(value(to, "/ledgers/00/0000/L0001")).isEqualTo("ledger");
        assertThat(value(to, "/sluice/bookies/other")).isEqualTo("came meanwhile");
        assertThat(value(to, "/sluice/import")).isEqualTo("mark");
        for (String not : List.of("/sluice/containers/0/lease", "/sluice/cluster", "/ledgers/available/standalone")) {
            assertThat(to.get(not)).as(not).isNull();
        }
    }

    @Test
    void objectsAreThoseOfTheSourceWhateverAnEarlierTryLeft() throws Exception {
        put(source, "c0/1/a", "one");
        put(source, "c0/1/b", "two");
        put(source, "c1/1/c", "three");
        put(source, "owner", "mark");
        target.faults((call, name) -> call == Call.PUT && name.equals("c0/1/b") ? Fault.UNAVAILABLE : Fault.NONE);
        assertThatThrownBy(() -> new CopyObjects(source, target).run()).isInstanceOf(ObjectStoreException.class);
        target.faults((call, name) -> Fault.NONE);
        source.delete(List.of("c0/1/a"));
        put(target, "of-others", "left");

        assertThat(new CopyObjects(source, target).run()).isEqualTo(2);
        assertThat(target.list("", "", 10).stream().map(StoredObject::name))
                .containsExactly("c0/1/b", "c1/1/c", "of-others");
        assertThat(target.stored("c1/1/c")).isEqualTo("three".getBytes(UTF_8));
        assertThat(new CopyObjects(source, target).run()).isZero();
    }

    @Test
    void marksKeepOthersAway(@TempDir Path folder) throws Exception {
        UUID cluster = new UUID(1, 2);
        ImportMark.refuse(to);
        ImportMark.write(to, cluster);
        ImportMark.write(to, cluster);
        assertThat(ImportMark.read(to)).isEqualTo(cluster);
        assertThatThrownBy(() -> ImportMark.refuse(to))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("run sluice cluster import to its end");
        ImportMark.delete(to);
        ImportMark.delete(to);
        ImportMark.refuse(to);

        assertThat(ImportedFolder.read(folder)).isNull();
        new ImportedFolder(cluster, "zk:one,two/path").write(folder);
        assertThat(ImportedFolder.read(folder)).isEqualTo(new ImportedFolder(cluster, "zk:one,two/path"));
    }

    private static void put(Metadata metadata, String path, String value) throws IOException {
        metadata.put(path, value.getBytes(UTF_8), Metadata.ABSENT);
    }

    private static void replace(Metadata metadata, String path, String value) throws IOException {
        metadata.put(path, value.getBytes(UTF_8), version(metadata, path));
    }

    private static long version(Metadata metadata, String path) throws IOException {
        return Objects.requireNonNull(metadata.get(path)).version();
    }

    private static String value(Metadata metadata, String path) throws IOException {
        return new String(Objects.requireNonNull(metadata.get(path), path).value(), UTF_8);
    }

    private static void put(ObjectStore store, String name, String content) throws ObjectStoreException {
        ByteBuf bytes = Unpooled.copiedBuffer(content, UTF_8);
        try {
            store.put(name, bytes);
        } finally {
            bytes.release();
        }
    }
}
