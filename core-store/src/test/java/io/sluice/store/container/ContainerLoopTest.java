package io.sluice.store.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.cache.CacheConfig;
import io.sluice.store.cache.StreamingCache;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.tier.InMemoryObjects;
import io.sluice.store.tier.InMemoryTier;
import io.sluice.store.wal.bookkeeper.InMemoryWalStore;
import io.sluice.testing.ExpectedLog;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Real threads: nothing is lost between those who bring work and a loop that rests. */
@ExpectedLog({"The loop loop-under-test cannot go on", "its state is not to be trusted"})
class ContainerLoopTest {
    private static final int WRITERS = 4;
    private static final int APPENDS = 5_000;

    private final CountDownLatch serving = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicReference<Throwable> died = new AtomicReference<>();
    private Runnable onStopped = () -> {};

    @Test
    void everyTaskOfManyThreadsIsAnswered() throws Exception {
        try (StreamingCache cache = new StreamingCache(new CacheConfig(96 << 20));
                ContainerLoop loop = new ContainerLoop("loop-under-test", died::set)) {
            Container container = container(cache);
            loop.start();
            loop.add(container);
            container.open();
            assertThat(serving.await(30, TimeUnit.SECONDS)).isTrue();

            // tasks and appends are two queues, and an append does not wait for a task before it
            CountDownLatch created = new CountDownLatch(1);
            container.segments().execute(task(() -> {
                container.segments().create(1, (byte) 1, Unpooled.EMPTY_BUFFER, Durable.IGNORED);
                created.countDown();
            }));
            assertThat(created.await(30, TimeUnit.SECONDS)).isTrue();
            CountDownLatch durable = new CountDownLatch(WRITERS * APPENDS);
            for (int writer = 0; writer < WRITERS; writer++) {
                Thread.ofVirtual().start(() -> write(container, durable));
            }
            assertThat(durable.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(failures).hasValue(0);

            // one at a time: the loop goes to rest in between
            for (int i = 0; i < 200; i++) {
                CountDownLatch one = new CountDownLatch(1);
                append(container, one);
                assertThat(one.await(30, TimeUnit.SECONDS)).isTrue();
            }
            container.close();
            assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
            CountDownLatch refused = new CountDownLatch(1);
            append(container, refused);
            assertThat(refused.getCount()).isZero();
            assertThat(failures).hasValue(1);
        }
    }

    /** Errors are no part of any contract; a loop that died of one would leave its containers leased and silent. */
    @Test
    void anErrorEndsTheTermOfItsContainerAndTheLoopGoesOnWithTheOthers() throws Exception {
        ContainerLoopTest other = new ContainerLoopTest();
        try (StreamingCache cache = new StreamingCache(new CacheConfig(96 << 20));
                StreamingCache otherCache = new StreamingCache(new CacheConfig(96 << 20));
                ContainerLoop loop = new ContainerLoop("loop-under-test", died::set)) {
            Container container = container(cache);
            Container neighbour = other.container(otherCache);
            loop.start();
            for (Container each : new Container[] {container, neighbour}) {
                loop.add(each);
                each.open();
            }
            assertThat(serving.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(other.serving.await(30, TimeUnit.SECONDS)).isTrue();
            container.segments().execute(task(() -> {
                throw new NoClassDefFoundError("planted");
            }));
            assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
            CountDownLatch refused = new CountDownLatch(1);
            append(container, refused);
            assertThat(refused.getCount()).isZero();
            CountDownLatch answered = new CountDownLatch(1);
            neighbour.segments().execute(task(answered::countDown));
            assertThat(answered.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(died.get()).isNull();
        }
    }

    /** It cannot be turned any more, so all its containers end, and the owner of the loop is told. */
    @Test
    void aLoopThatCannotGoOnEndsItsContainersAndSaysSo() throws Exception {
        ContainerLoopTest broken = new ContainerLoopTest();
        broken.onStopped = () -> {
            throw new NoClassDefFoundError("planted");
        };
        CountDownLatch told = new CountDownLatch(1);
        try (StreamingCache cache = new StreamingCache(new CacheConfig(96 << 20));
                StreamingCache otherCache = new StreamingCache(new CacheConfig(96 << 20));
                ContainerLoop loop = new ContainerLoop("loop-under-test", why -> {
                    died.set(why);
                    told.countDown();
                })) {
            Container neighbour = container(cache);
            Container container = broken.container(otherCache);
            loop.start();
            for (Container each : new Container[] {neighbour, container}) {
                loop.add(each);
                each.open();
            }
            assertThat(serving.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(broken.serving.await(30, TimeUnit.SECONDS)).isTrue();
            container.close();
            assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(died.get()).hasMessage("planted");
            assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
            CountDownLatch refused = new CountDownLatch(1);
            append(neighbour, refused);
            assertThat(refused.getCount()).isZero();
        }
    }

    private void write(Container container, CountDownLatch durable) {
        for (int i = 0; i < APPENDS; i++) {
            append(container, durable);
        }
    }

    private void append(Container container, CountDownLatch durable) {
        ByteBuf data = Unpooled.wrappedBuffer(new byte[100]);
        container
                .segments()
                .executeAppend(LoopTask.of(
                        () -> {
                            container.segments().append(1, data, Durable.of(() -> durable.countDown(), why -> {
                                failures.incrementAndGet();
                                durable.countDown();
                            }));
                        },
                        why -> {
                            failures.incrementAndGet();
                            durable.countDown();
                        }));
    }

    private static LoopTask task(Runnable run) {
        return LoopTask.of(() -> run.run());
    }

    private Container container(StreamingCache cache) {
        InMemoryObjects objects = new InMemoryObjects();
        ContainerParts parts = new ContainerParts(
                new InMemoryWalStore(),
                cache,
                ModelRider::create,
                host -> new InMemoryTier(host, objects, new InMemoryTier.Faults() {}),
                new VirtualThreads());
        return new Container(1, ContainerConfig.DEFAULT, parts, new ContainerListener() {
            @Override
            public void serving(Container which) {
                serving.countDown();
            }

            @Override
            public void stopped(Container which, String why) {
                stopped.countDown();
                onStopped.run();
            }
        });
    }
}
