package io.sluice.tiering.objectstore.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreContract;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoreTraffic;
import io.sluice.tiering.objectstore.StoreTraffic.Call;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract, against a real server: each test has a prefix of its own. With {@code -Dsluice.s3.endpoint=http://…} against
 * another one that runs already, and has the bucket and the keys of {@link Minio}.
 */
final class S3ObjectStoreTest extends ObjectStoreContract {
    @TempDir
    static Path folder;

    private static final String OTHER = System.getProperty("sluice.s3.endpoint", "");

    private static String endpoint = OTHER;
    private static @Nullable Minio minio;
    private static int tests;

    private final StoreTraffic traffic = new StoreTraffic();
    private final String prefix = "test-" + tests++ + "/";

    @BeforeAll
    static void startServer() throws Exception {
        if (OTHER.isEmpty()) {
            minio = Minio.start(folder.resolve("minio"));
            endpoint = minio.endpoint();
        }
    }

    @AfterAll
    static void stopServer() {
        if (minio != null) {
            minio.close();
        }
    }

    @Override
    protected ObjectStore open() throws ObjectStoreException {
        return S3Tier.open(server().prefix(prefix).build(), traffic);
    }

    private static TestSettings server() {
        return TestSettings.at(endpoint);
    }

    @Test
    void findsItsObjectsAgain() throws Exception {
        put("c1/a", new byte[] {7});
        try (ObjectStore again = open()) {
            assertThat(again.size("c1/a")).isEqualTo(1);
        }
    }

    @Test
    void theTrialAtTheStartLeavesNothing() throws Exception {
        try (ObjectStore store = open()) {
            assertThat(store.list("", "", 10)).isEmpty();
        }
        if (OTHER.isEmpty()) {
            assertThat(folder.resolve("minio/" + Minio.BUCKET + "/" + prefix)).doesNotExist();
        }
    }

    @Test
    void whatOthersKeepBelowThePrefixIsNotListed() throws Exception {
        put("c1/a", new byte[1]);
        put("c1/c", new byte[1]);
        try (ObjectStore inside =
                S3Tier.open(server().prefix(prefix + "c1/.Of others/").build(), traffic)) {
            put(inside, "b", 1);
        }
        try (ObjectStore store = open()) {
            assertThat(store.list("c1/", "", 2).stream().map(object -> object.name()))
                    .containsExactly("c1/a", "c1/c");
        }
    }

    @Test
    void listsAndDeletesMoreThanOneRequestTakes() throws Exception {
        List<String> names =
                IntStream.range(0, 1203).mapToObj("c1/%04d"::formatted).toList();
        // as many as there are connections: who waits for one for 10 s is refused
        try (ExecutorService threads = Executors.newFixedThreadPool(16)) {
            List<Callable<String>> puts = new ArrayList<>();
            names.forEach(name -> puts.add(() -> {
                put(name, new byte[0]);
                return name;
            }));
            for (Future<String> done : threads.invokeAll(puts)) {
                done.get();
            }
        }
        try (ObjectStore store = open()) {
            assertThat(store.list("", "", 5000).stream().map(object -> object.name()))
                    .isEqualTo(names);
            assertThat(store.list("", names.get(99), 1100).stream().map(object -> object.name()))
                    .isEqualTo(names.subList(100, 1200));
            store.delete(names.subList(0, 1000));
            assertThat(store.list("", "", 5000)).hasSize(203);
        }
    }

    @Test
    void takesAnObjectOfTheLargestUsualSize() throws Exception {
        byte[] bytes = new byte[(16 << 20) + 1024];
        new Random(1).nextBytes(bytes);
        put("a", bytes);
        assertThat(read("a", 0, bytes.length)).isEqualTo(bytes);
    }

    @Test
    void countsRequests() throws Exception {
        put("a", new byte[10]);
        read("a", 2, 5);
        // one each for the trial, which deletes twice
        assertThat(traffic.requests(Call.PUT)).isEqualTo(2);
        assertThat(traffic.requests(Call.READ)).isEqualTo(2);
        assertThat(traffic.requests(Call.LIST)).isEqualTo(1);
        assertThat(traffic.requests(Call.DELETE)).isEqualTo(2);
    }

    @Test
    void worksWithoutChecksums() throws Exception {
        try (ObjectStore store =
                S3Tier.open(server().prefix(prefix).checksum(false).build(), traffic)) {
            put(store, "a", 5);
            assertThat(store.size("a")).isEqualTo(5);
        }
    }

    /** The server was not given a key to encrypt with. */
    @Test
    void saysThatTheServerCannotEncrypt() {
        assumeTrue(OTHER.isEmpty());
        S3Settings settings = server().prefix(prefix)
                .encryption(new S3Settings.Encryption.Aes256())
                .build();
        assertThatThrownBy(() -> S3Tier.open(settings, traffic))
                .isInstanceOf(ObjectStoreException.class)
                .hasMessageContaining("tier.s3.serverSideEncryption")
                .hasMessageNotContaining("\n");
    }

    private static void put(ObjectStore store, String name, int bytes) throws ObjectStoreException {
        var content = io.netty.buffer.Unpooled.directBuffer(bytes).writeZero(bytes);
        try {
            store.put(name, content);
        } finally {
            content.release();
        }
    }
}
