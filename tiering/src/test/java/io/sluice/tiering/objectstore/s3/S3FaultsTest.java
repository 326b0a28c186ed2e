package io.sluice.tiering.objectstore.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoreTraffic;
import io.sluice.tiering.objectstore.s3.ScriptedS3.Fault;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server does to the store, and to the start. */
class S3FaultsTest {
    private static final byte[] BYTES = "0123456789".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    private ScriptedS3 server;
    private final StoreTraffic traffic = new StoreTraffic();

    @BeforeEach
    void start() throws Exception {
        server = new ScriptedS3();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private ObjectStore open() throws ObjectStoreException {
        return S3Tier.open(
                TestSettings.at(server.endpoint())
                        .prefix("p/")
                        .attempts(3, Duration.ofSeconds(2), Duration.ofSeconds(20))
                        .build(),
                traffic);
    }

    @Test
    void anAnswerThatBreaksOffIsAskedForAgain() throws Exception {
        try (ObjectStore store = open()) {
            put(store);
            server.script((right, n) -> n == 0 ? new Fault.Torn() : null);
            assertThat(read(store)).isEqualTo("234");
            assertThat(server.requests()).isEqualTo(2);
        }
    }

    @Test
    void noAnswerIsAskedForAgain() throws Exception {
        try (ObjectStore store = open()) {
            server.script((right, n) -> n == 0 ? new Fault.Silent() : null);
            put(store);
            server.script((right, n) -> n < 2 ? new Fault.Silent() : null);
            assertThat(read(store)).isEqualTo("234");
            assertThat(server.requests()).isEqualTo(3);
        }
    }

    @Test
    void anOverloadedServerIsAskedAgainButNotForEver() throws Exception {
        try (ObjectStore store = open()) {
            server.script((right, n) -> n == 0 ? new Fault.Refused(503, "SlowDown") : null);
            put(store);
            assertThat(read(store)).isEqualTo("234");
            server.script((right, n) -> new Fault.Refused(500, "InternalError"));
            assertThatThrownBy(() -> read(store))
                    .isInstanceOf(ObjectStoreException.Unavailable.class)
                    .hasMessageContaining("s3://" + Minio.BUCKET + "/p/a")
                    .hasMessageContaining("InternalError")
                    .hasMessageNotContaining("\n");
            assertThat(server.requests()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "403, AccessDenied, Denied",
        "403, RequestTimeTooSkewed, Denied",
        "404, NoSuchBucket, Unavailable",
        "404, NoSuchKey, NotFound",
        "507, InsufficientStorage, Full",
        "500, XMinioStorageFull, Full",
        "400, EntityTooLarge, Unavailable"
    })
    void namesWhatTheServerSays(int status, String code, String kind) throws Exception {
        try (ObjectStore store = open()) {
            server.script((right, n) -> new Fault.Refused(status, code));
            assertThatThrownBy(() -> put(store))
                    .isInstanceOf(ObjectStoreException.class)
                    .hasMessageContaining("p/a")
                    .satisfies(e -> assertThat(e.getClass().getSimpleName()).isEqualTo(kind));
        }
    }

    @Test
    void aDeletionOfManyThatLeavesOneIsAFailure() throws Exception {
        try (ObjectStore store = open()) {
            put(store);
            server.script((right, n) -> new Fault.NotThatOne("AccessDenied"));
            assertThatThrownBy(() -> store.delete(List.of("a", "b")))
                    .isInstanceOf(ObjectStoreException.Denied.class)
                    .hasMessageContaining("p/a");
            server.script((right, n) -> new Fault.NotThatOne("NoSuchKey"));
            store.delete(List.of("a", "b"));
            server.script((right, n) -> new Fault.NotThatOne("InternalError"));
            assertThatThrownBy(() -> store.delete(List.of("a", "b")))
                    .isInstanceOf(ObjectStoreException.Unavailable.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3:PutObject", "s3:GetObject", "s3:ListBucket", "s3:DeleteObject"})
    void theStartNamesTheRightThatIsMissing(String missing) {
        server.script((right, n) -> right.equals(missing) ? new Fault.Refused(403, "AccessDenied") : null);
        assertThatThrownBy(this::open)
                .isInstanceOf(ObjectStoreException.Denied.class)
                .hasMessageContaining("tier.s3.bucket")
                .hasMessageContaining(missing);
    }

    @Test
    void theStartNamesTheRightToDeleteAndLeavesNothingBehind() {
        server.script((right, n) -> {
            assertThat(right).isEqualTo("s3:DeleteObject");
            return new Fault.NotThatOne("AccessDenied");
        });
        assertThatThrownBy(this::open).hasMessageContaining("s3:DeleteObject");
    }

    @Test
    void theStartSaysThatSomethingElseListensThere() {
        server.script((right, n) -> new Fault.Refused(405, ""));
        assertThatThrownBy(this::open).hasMessageContaining("tier.s3.endpoint").hasMessageContaining("not as S3 does");
    }

    @Test
    void theStartDoesNotWaitForASilentServer() {
        server.script((right, n) -> new Fault.Silent());
        long begin = System.nanoTime();
        assertThatThrownBy(this::open)
                .isInstanceOf(ObjectStoreException.Unavailable.class)
                .hasMessageContaining("tier.s3.endpoint")
                .hasMessageContaining("no answer");
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(ProbeBucket.LIMIT.plusSeconds(10));
    }

    @Test
    void nobodyPrintsTheSecret() {
        S3Settings settings = TestSettings.at(server.endpoint()).build();
        assertThat(settings.toString()).doesNotContain(Minio.SECRET_KEY).doesNotContain(Minio.ACCESS_KEY);
    }

    private static void put(ObjectStore store) throws ObjectStoreException {
        ByteBuf content = Unpooled.copiedBuffer(BYTES);
        try {
            store.put("a", content);
        } finally {
            content.release();
        }
    }

    private static String read(ObjectStore store) throws ObjectStoreException {
        ByteBuf read = store.read("a", 2, 3, UnpooledByteBufAllocator.DEFAULT);
        try {
            return read.toString(java.nio.charset.StandardCharsets.US_ASCII);
        } finally {
            read.release();
        }
    }
}
