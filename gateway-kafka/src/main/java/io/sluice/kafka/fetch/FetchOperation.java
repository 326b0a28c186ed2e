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
    /** Where it has room to wait, until it is answered. */
    private @Nullable FetchWaits room;
    /** It has none, and so waits in no log. */
    private volatile boolean untold;

    private long budget;
    /** Of {@link #budget}, for reads under way. */
    private long reserved;

    private long found;
    /** A partition was passed over since reads under way had the whole budget. */
    private boolean passedOver;

    private int underway;
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
        this.budget = maxBytes;
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
            underway = groups.size();
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

    /** The caller has counted the groups in {@link #underway}. */
    private void launch(List<ContainerFetch> round) {
        for (ContainerFetch group : round) {
            group.container().execute(group);
        }
    }

    /**
     * Begins a read, which must end with {@link #readEnded} and {@link #partDone}.
     *
     * @return bytes it may ask for, which it then has for itself, at most {@code wanted}; 0 if none are left, and no read begins
     */
    synchronized int beginRead(int wanted) {
        if (completed || budget <= 0) {
            return 0;
        }
        int granted = (int) Math.min(wanted, budget - reserved);
        if (granted <= 0) {
            passedOver = true;
            return 0;
        }
        reserved += granted;
        underway++;
        return granted;
    }

    /** Before what was found is recorded. */
    synchronized void readEnded(int granted) {
        reserved -= granted;
    }

    synchronized boolean isCompleted() {
        return completed;
    }

    /** False: parked readers are of use. */
    synchronized boolean isDecided() {
        return completed || expired || untold || hasEnough();
    }

    private boolean hasEnough() {
        return failed || found >= Math.max(1, minBytes);
    }

    /** Runs {@code finding}, which puts a result into a partition, unless the answer is already given. */
    synchronized boolean record(FetchPartition partition, Runnable finding) {
        if (completed) {
            return false;
        }
        int before = partition.bytesFound();
        finding.run();
        int more = partition.bytesFound() - before;
        found += more;
        budget -= more;
        failed |= partition.hasAnswer() && partition.bytesFound() == 0;
        return true;
    }

    /** A read was answered, or a container's part of the round is over. */
    void partDone() {
        boolean answer;
        synchronized (this) {
            underway--;
            if (underway > 0 || completed) {
                return;
            }
            answer = expired || hasEnough();
            if (!answer && passedOver) {
                underway = groups.size(); // those may have what is lacking
            } else if (!answer) {
                forget();
                if (untold) {
                    groups = new ArrayList<>(4);
                    return; // until its time is up
                }
                if (!triggered) {
                    return; // parked
                }
                triggered = false;
                underway = groups.size();
            }
            passedOver = false;
        }
        if (answer) {
            complete();
        } else {
            launch(groups);
        }
    }

    /** Too little for an answer: it is read again, with what comes, when there is enough. */
    private void forget() {
        if (found > 0) {
            plan.partitions().stream()
                    .filter(partition -> partition.bytesFound() > 0)
                    .forEach(FetchPartition::reset);
            budget += found;
            found = 0;
        }
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
            underway = round.size();
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
            if (completed || (underway > 0 && found == 0)) {
                return; // the end of the round answers
            }
            if (groups.isEmpty()) {
                logs.run();
            }
            leftovers = underway == 0 && (minBytes > 1 || untold) && !groups.isEmpty();
            if (leftovers) {
                underway = groups.size();
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
