package io.sluice.pulsar.admin;

import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.broker.access.Principal;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.quota.QuotaKey;
import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.admin.PostedResults.Result;
import io.sluice.pulsar.dispatch.NonPersistentMessage;
import io.sluice.pulsar.format.Publish;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.pulsar.nonpersistent.NonPersistentTopic;
import io.sluice.pulsar.rates.TopicBounds;
import io.sluice.pulsar.services.ClientLimits;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages of requests, as those of producers: to topics' policies, rates and quotas. A request comes too early, and is refused, where a
 * producer's connection would not be read. Sequence ids are stored, and not looked at for duplicates.
 */
final class PostedSends {
    private static final int TOO_EARLY = 429;

    private final GatewayServices services;

    PostedSends(GatewayServices services) {
        this.services = services;
    }

    // ---- what a request must wait for

    /** Refuses a request that comes too early, or that the topic's policies do not let in. */
    void admit(Principal who, AdminTopics.Part part) throws AdminException {
        admit(who);
        String plain = services.limits().whyNotPlain(part.topic().name(), false);
        if (plain != null) {
            throw new AdminException(412, plain);
        }
        PartitionLog log = part.log();
        long wait = await(log.container().ask(() -> {
            PartitionHub hub = services.hubs().find(log);
            return hub == null ? 0L : hub.rates().publishWait();
        }));
        requireNoWait(wait, "the topic's publish rate");
        Topic topic = services.topics().current(part.topic());
        if (services.quotaChecks().concernsProducers(topic)) {
            ClientLimits.@Nullable Refusal[] over = {null};
            await(log.container()
                    .<Boolean>ask(answer -> services.quotaChecks().ofProducer(topic, log, refusal -> {
                        over[0] = refusal;
                        answer.complete(true);
                    })));
            if (over[0] != null) {
                throw new AdminException(412, over[0].message());
            }
        }
    }

    /** The same for a topic whose messages are not kept. */
    void admit(Principal who, NonPersistentTopic topic) throws AdminException {
        admit(who);
        requireNoWait(topic.publishWait(), "the topic's publish rate");
    }

    private void admit(Principal who) throws AdminException {
        if (services.rates().hasAny(QuotaKey.PRODUCER_BYTE_RATE)) {
            requireNoWait(count(who, 0), "the user's quota");
        }
    }

    private long count(Principal who, int bytes) {
        return services.rates().hasAny(QuotaKey.PRODUCER_BYTE_RATE)
                ? services.rates().took(QuotaKey.PRODUCER_BYTE_RATE, who.name(), null, bytes)
                : 0;
    }

    private static void requireNoWait(long millis, String of) throws AdminException {
        if (millis > 0) {
            throw new AdminException(TOO_EARLY, of + " is used up: try again in " + millis + " ms");
        }
    }

    // ---- one message

    private @Nullable String whyNot(TopicBounds bounds, Publish publish, int bytes) {
        int most = services.config().limits().maxMessageBytes();
        if (bytes > most || bounds.isTooLarge(bytes)) {
            return "Exceed maximum message size";
        }
        return bounds.encrypted() && !publish.isEncrypted() ? "Messages must be encrypted" : null;
    }

    private static Publish read(ByteBuf sent) {
        Publish publish = new Publish();
        if (publish.read(sent, sent.writerIndex()) != Publish.Fault.NONE) {
            throw new IllegalStateException("a message that was made here does not read");
        }
        return publish;
    }

    /**
     * Has the partition store a message.
     *
     * @param sent as a producer sends it
     */
    CompletableFuture<Result> send(Principal who, AdminTopics.Part part, ByteBuf sent) {
        int bytes = sent.readableBytes();
        ByteBuf in = sent.duplicate();
        Publish publish = read(in);
        if (publish.delay() > 0 && services.delays().isTooLong(part.topic().name(), publish.delay())) {
            return CompletableFuture.completedFuture(
                    Result.refused(part.partition(), "Exceeds max allowed delivery delay"));
        }
        ByteBuf made =
                publish.entry(ByteBufAllocator.DEFAULT, sent, EntryHeader.NO_PRODUCER, 0, 0, EntryHeader.NO_PRODUCER);
        AtomicReference<@Nullable ByteBuf> entry = new AtomicReference<>(made);
        count(who, bytes);
        Answer<Result> answer = part.log().container().askAppend(reply -> append(part, publish, bytes, entry, reply));
        answer.whenComplete((result, failure) -> {
            ByteBuf left = entry.getAndSet(null);
            if (left != null) {
                left.release(); // its turn has not come
            }
        });
        return answer.exceptionally(failure -> {
            StoreFailure why = StoreException.failureIn(failure);
            return new Result(
                    Integer.toString(part.partition()),
                    PostedResults.AGAIN,
                    why == null ? "the message could not be stored" : why.message());
        });
    }

    /** On the loop. */
    private void append(
            AdminTopics.Part part,
            Publish publish,
            int bytes,
            AtomicReference<@Nullable ByteBuf> entry,
            Answer<Result> answer) {
        PartitionHub hub = services.hubs().on(part.log(), part.name(), part.partition());
        String migrated = services.migration().whyNotWritten(part.topic().name());
        String why = migrated == null ? whyNot(hub.rates().rates().bounds(), publish, bytes) : migrated;
        if (why != null) {
            answer.complete(Result.refused(part.partition(), why));
            return;
        }
        ByteBuf taken = entry.getAndSet(null);
        if (taken == null) {
            return; // the request was given up
        }
        hub.rates().published(1, bytes);
        part.log().append(taken, new Stored(part, hub, bytes, answer));
    }

    private final class Stored implements AppendReply {
        private final AdminTopics.Part part;
        private final PartitionHub hub;
        private final int bytes;
        private final Answer<Result> answer;

        Stored(AdminTopics.Part part, PartitionHub hub, int bytes, Answer<Result> answer) {
            this.part = part;
            this.hub = hub;
            this.bytes = bytes;
            this.answer = answer;
        }

        @Override
        public void appended(long baseOffset, long lastOffset) {
            hub.posted(1, bytes);
            services.meters().published(1, bytes);
            answer.complete(Result.stored(part.log().ledgerAt(baseOffset), baseOffset, part.partition()));
        }

        @Override
        public void duplicate(long baseOffset, long lastOffset) {
            appended(baseOffset, lastOffset);
        }

        @Override
        public void rejected(AppendRejection why) {
            answer.complete(Result.refused(part.partition(), why.message()));
        }

        @Override
        public void failed(StoreFailure why) {
            answer.fail(why);
        }
    }

    /** Hands a message to those who listen now. */
    Result send(Principal who, NonPersistentTopic topic, ByteBuf sent) {
        int partition = topic.name().partition();
        int bytes = sent.readableBytes();
        Publish publish = read(sent.duplicate());
        String migrated = services.migration().whyNotWritten(topic.name().topic());
        String why = migrated == null ? whyNot(topic.bounds(), publish, bytes) : migrated;
        if (why != null) {
            return Result.refused(partition, why);
        }
        count(who, bytes);
        try (NonPersistentMessage message = new NonPersistentMessage(sent, 0, bytes, publish)) {
            topic.post(message);
        }
        return Result.stored(NonPersistentMessage.LEDGER, NonPersistentMessage.ENTRY, partition);
    }
}
