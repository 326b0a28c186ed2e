package io.sluice.kafka.fetch;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.kafka.api.RequestContext;
import io.sluice.store.segment.SegmentContainer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * One fetch, from its first read to its answer.
 *
 * <pre>
 *  start ─► round: one hop to each container, all its partitions read ─► enough? ─► answer
 *              ▲                                                           │ no
 *              └── data arrived for a parked partition ◄── parked ◄────────┘      time is up ─► answer
 * </pre>
 *
 * <p>Where {@link FetchWaits} has no room for it, it lets go of the logs instead of waiting in them, and looks once more when its time
 * is up.
 *
 * <p>Another round comes before the answer only where a partition is so far behind that its place in the order decides how much of it
 * there is room for: see {@link AnswerBudget}.
 *
 * <p>The lock guards the few words of state below and the partitions' findings; it is held for moments only.
 */
public final class FetchOperation implements RequestContext.DeferredResponse {
    /** A fetch that is not told of new data waits no longer than this: what clients ask for by default. */
    private static final int UNTOLD_MILLIS = 500;

    private final RequestContext context;
    private final FetchSessions sessions;
    private final FetchPlan plan;
    private final Isolation isolation;
    private final long minBytes;
    private volatile List<ContainerFetch> groups = new ArrayList<>(4);
    private final AnswerBudget budget;
    /** Where it has room to wait, until it is answered. */
    private @Nullable FetchWaits room;
    /** It has none, and so waits in no log. */
    private volatile boolean untold;

    private int underway;
    /** The round is for partitions that lack bytes. */
    private boolean filling;

    private boolean triggered;
    private boolean expired;
    private boolean failed;
    private boolean completed;

    /** @param maxBytes of the whole answer; the last batch may go beyond it */
    public FetchOperation(
            RequestContext context,
            FetchSessions sessions,
            FetchPlan plan,
            Isolation isolation,
            int minBytes,
            int maxBytes) {
        this.context = context;
        this.sessions = sessions;
        this.plan = plan;
        this.isolation = isolation;
        this.minBytes = Math.min(minBytes, maxBytes);
        this.budget = new AnswerBudget(plan.partitions(), maxBytes);
    }

    Isolation isolation() {
        return isolation;
    }

    /** By what {@link #start} is given. */
    public void add(FetchPartition partition, PartitionLog log) {
        SegmentContainer container = log.container();
        for (ContainerFetch group : groups) {
            if (group.container() == container) {
                group.add(partition, log);
                return;
            }
        }
        ContainerFetch group = new ContainerFetch(this, container);
        group.add(partition, log);
        groups.add(group);
    }

    /**
     * On the connection's loop.
     *
     * @param logs adds the partitions that can be read; run at once, and again if the fetch had to let go of them
     */
    public void start(int maxWaitMillis, FetchWaits waits, Runnable logs) {
        logs.run();
        // A reader asks for a topic that is gone until its metadata says so, and for one that it may not read until it
        // is told otherwise. That must not turn its waiting for the others into a hot loop; to have gone to the wrong
        // server must be told at once.
        boolean refused =
                plan.partitions().stream().anyMatch(partition -> partition.hasAnswer() && !partition.isRefusedAgain());
        synchronized (this) {
            failed = refused;
            expired = maxWaitMillis <= 0;
            beginRound(groups);
        }
        if (groups.isEmpty()) {
            complete();
            return;
        }
        if (maxWaitMillis > 0) {
            untold = !waits.take(plan.partitions().size());
            room = untold ? null : waits;
            context.deadline(untold ? Math.min(maxWaitMillis, UNTOLD_MILLIS) : maxWaitMillis, () -> expire(logs));
        }
        context.onDisconnect(this::expireNow);
        launch(groups);
    }

    /** With the lock; {@link #launch} follows. */
    private void beginRound(List<ContainerFetch> round) {
        filling = false;
        budget.beginRound(round.size() == 1);
        underway = round.size();
    }

    /** The caller has counted the groups in {@link #underway}. */
    private void launch(List<ContainerFetch> round) {
        for (ContainerFetch group : round) {
            group.container().execute(group);
        }
    }

    /**
     * Begins a read of all that the client wants of a partition that has data. It must end with {@link #readEnded} and {@link #partDone}.
     *
     * @return bytes it may ask for, which it then has for itself; 0 if there is no room for so many, and no read begins
     */
    synchronized int beginRead(FetchPartition partition) {
        return completed ? 0 : begun(budget.grant(partition));
    }

    /**
     * As {@link #beginRead}, of a part of what the client wants, for a partition for which that gave 0.
     *
     * @param available bytes up to the partition's end, at least 1
     */
    synchronized int beginPartialRead(FetchPartition partition, long available) {
        return completed ? 0 : begun(budget.grantPart(partition, available));
    }

    private int begun(int granted) {
        underway += granted > 0 ? 1 : 0;
        return granted;
    }

    /** Before what was found is recorded. */
    synchronized void readEnded(int granted) {
        budget.readEnded(granted);
    }

    /** Whether this round is only for partitions that lack bytes. */
    synchronized boolean isFilling() {
        return filling;
    }

    synchronized boolean isCompleted() {
        return completed;
    }

    /** False: parked readers are of use. */
    synchronized boolean isDecided() {
        return completed || expired || untold || hasEnough() || budget.isLacking();
    }

    private boolean hasEnough() {
        return failed || budget.found() >= Math.max(1, minBytes);
    }

    /** Runs {@code finding}, which puts a result into a partition, unless the answer is already given. */
    synchronized boolean record(FetchPartition partition, Runnable finding) {
        if (completed) {
            return false;
        }
        int before = partition.bytesFound();
        finding.run();
        budget.found(partition.bytesFound() - before);
        failed |= partition.hasAnswer() && partition.bytesFound() == 0;
        return true;
    }

    /** A read was answered, or a container's part of the round is over. */
    void partDone() {
        List<ContainerFetch> round;
        synchronized (this) {
            underway--;
            if (underway > 0 || completed) {
                return;
            }
            round = nextRound();
        }
        if (round == null) {
            complete();
        } else {
            launch(round);
        }
    }

    /** With the lock, when a round is over: null if the answer is due, none to wait for data. */
    private @Nullable List<ContainerFetch> nextRound() {
        if (budget.divideRest()) {
            List<ContainerFetch> round =
                    groups.stream().filter(ContainerFetch::mayReadOn).toList();
            filling = true;
            underway = round.size();
            return round;
        }
        if (expired || hasEnough()) {
            return null;
        }
        budget.forget(); // too little for an answer: it is read again, with what comes, when there is enough
        if (untold) {
            groups = new ArrayList<>(4);
            return List.of(); // until its time is up
        }
        if (!triggered) {
            return List.of();
        }
        triggered = false;
        beginRound(groups);
        return groups;
    }

    /** There is enough to read now. */
    void trigger(ContainerFetch where) {
        List<ContainerFetch> round = minBytes <= 1 ? List.of(where) : groups;
        synchronized (this) {
            if (completed) {
                return;
            }
            if (underway > 0) {
                triggered = true;
                return;
            }
            beginRound(round);
        }
        launch(round);
    }

    /** Bytes known to wait, in all containers. */
    boolean isEnough() {
        long waiting = 0;
        for (ContainerFetch group : groups) {
            waiting += group.waitingBytes();
        }
        return waiting >= minBytes;
    }

    long minBytes() {
        return minBytes;
    }

    /** A parked partition's log is gone. */
    void lost(FetchPartition partition, Errors error) {
        record(partition, () -> partition.fail(error));
        boolean idle;
        synchronized (this) {
            idle = underway == 0;
        }
        if (idle) {
            complete();
        }
    }

    private void expire(Runnable logs) {
        boolean leftovers;
        synchronized (this) {
            expired = true;
            if (completed || (underway > 0 && budget.found() == 0)) {
                return; // the end of the round answers
            }
            if (groups.isEmpty()) {
                logs.run();
            }
            leftovers = underway == 0 && (minBytes > 1 || untold) && !groups.isEmpty();
            if (leftovers) {
                beginRound(groups);
            }
        }
        if (leftovers) {
            launch(groups);
        } else {
            complete();
        }
    }

    private void expireNow() {
        synchronized (this) {
            expired = true;
        }
        complete();
    }

    private void complete() {
        synchronized (this) {
            if (completed) {
                return;
            }
            completed = true;
            budget.trim();
        }
        for (ContainerFetch group : groups) {
            group.letGo();
        }
        FetchWaits taken = room;
        if (taken != null) {
            taken.giveBack(plan.partitions().size());
        }
        context.complete(this);
    }

    @Override
    public ApiMessage make() {
        FetchSession session = plan.session();
        FetchResponseData answer = new FetchResponseData()
                .setErrorCode(plan.error().code())
                .setSessionId(session == null ? 0 : session.id());
        List<FetchPartition> gaveData = new ArrayList<>();
        FetchPartition.@Nullable Key previous = null;
        List<PartitionData> partitions = new ArrayList<>();
        for (FetchPartition partition : plan.partitions()) {
            if (!partition.tell(!plan.incremental())) {
                continue;
            }
            FetchPartition.Key key = partition.key();
            if (previous == null
                    || !previous.topicId().equals(key.topicId())
                    || !previous.topic().equals(key.topic())) {
                partitions = new ArrayList<>();
                answer.responses()
                        .add(new FetchableTopicResponse()
                                .setTopic(key.topic())
                                .setTopicId(key.topicId())
                                .setPartitions(partitions));
            }
            previous = key;
            partitions.add(partition.answer(context.version()));
            if (partition.bytesFound() > 0) {
                gaveData.add(partition);
            }
        }
        if (session != null) {
            sessions.rotate(session, gaveData);
        }
        return answer;
    }

    @Override
    public void release() {
        plan.partitions().forEach(FetchPartition::reset);
        sessions.end(plan);
    }
}
