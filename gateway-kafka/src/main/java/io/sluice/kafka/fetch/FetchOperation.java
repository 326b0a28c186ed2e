package io.sluice.kafka.fetch;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.conversion.EntryConversions;
import io.sluice.kafka.api.RequestContext;
import io.sluice.store.segment.SegmentContainer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * One fetch, from its first read to its answer.
 *
 * <pre>
 *  start ─► round: one hop to each container, its partitions read ─► enough? ─► answer
 *              ▲                                                       │ no
 *              └── a watched partition has data ◄─── parked ◄──────────┘      time is up ─► answer
 * </pre>
 *
 * <p>The first round is for the partitions of the {@link FetchPlan}, and those that have changed meanwhile; later ones for those that have
 * changed since. In a session the {@link FetchWatches} last from fetch to fetch; else they begin when the fetch parks and end with it.
 * Where {@link FetchWaits} has no room for them, it lets go of the logs instead of waiting, and looks once more when its time is up.
 *
 * <p>Another round comes before the answer only where a partition is so far behind that its place in the order decides how much of it
 * there is room for: see {@link AnswerBudget}.
 *
 * <p>The lock guards the state below and the partitions' findings; it is held for moments only.
 */
public final class FetchOperation implements RequestContext.DeferredResponse, FetchRound {
    /** A fetch that is not told of new data waits no longer than this: what clients ask for by default. */
    private static final int UNTOLD_MILLIS = 500;

    private final RequestContext context;
    private final FetchSessions sessions;
    private final FetchPlan plan;
    private final Supplier<? extends FetchLogs> lookUp;
    private final EntryConversions conversions;
    private final Isolation isolation;
    private final long minBytes;
    private final OpenPartitions opened;
    private final AnswerBudget budget;
    private volatile @Nullable FetchWatches watches;
    /** Where it has room to wait outside a session, until it is answered. */
    private @Nullable FetchWaits room;

    /** Version of clients' rights by which the first partitions were looked up. */
    private long rights;

    private FetchPhase phase = FetchPhase.OPENING;
    private AfterRound after = AfterRound.PARK;
    /** Containers and reads that the round waits for. */
    private int underway;
    /** Bytes known to lie before readers, in all containers. */
    private long waitingBytes;

    /**
     * @param maxBytes of the whole answer; the last batch may go beyond it
     * @param lookUp any thread
     */
    public FetchOperation(
            RequestContext context,
            FetchSessions sessions,
            FetchPlan plan,
            Supplier<? extends FetchLogs> lookUp,
            EntryConversions conversions,
            Isolation isolation,
            int minBytes,
            int maxBytes) {
        this.context = context;
        this.sessions = sessions;
        this.plan = plan;
        this.lookUp = lookUp;
        this.conversions = conversions;
        this.isolation = isolation;
        this.minBytes = Math.min(minBytes, maxBytes);
        this.opened = new OpenPartitions(this, plan, lookUp);
        this.budget = new AnswerBudget(opened.all(), maxBytes);
        this.watches = plan.watches();
    }

    @Override
    public Isolation isolation() {
        return isolation;
    }

    @Override
    public long minBytes() {
        return minBytes;
    }

    @Override
    public EntryConversions conversions() {
        return conversions;
    }

    @Override
    public void examined(int more) {
        sessions.examined(more);
    }

    /** On the connection's loop. */
    public void start(int maxWaitMillis, FetchWaits waits) {
        FetchWatches lasting = watches;
        if (lasting == null
                && plan.session() == null
                && maxWaitMillis > 0
                && waits.take(plan.partitions().size())) {
            room = waits;
            watches = new FetchWatches();
        }
        List<ContainerFetch> round;
        synchronized (this) {
            rights = lookUp.get().rights();
            if (watches != null) {
                watches.begin(this);
            }
            answerIf(opened.openAll());
            if (lasting != null) {
                answerIf(opened.join(lasting.takeChanged()));
            }
            if (maxWaitMillis <= 0) {
                followBy(AfterRound.ANSWER);
            }
            boolean nothing = opened.isEmpty() && (lasting == null || lasting.size() == 0);
            round = nothing ? null : firstRound();
        }
        if (round == null) {
            complete();
            return;
        }
        if (maxWaitMillis > 0) {
            context.deadline(watches == null ? Math.min(maxWaitMillis, UNTOLD_MILLIS) : maxWaitMillis, this::expire);
        }
        context.onDisconnect(this::expireNow);
        context.onRightsChange(this::rightsChanged);
        launch(round);
    }

    /** With the lock. */
    private @Nullable List<ContainerFetch> firstRound() {
        List<ContainerFetch> all = opened.containers();
        if (all.isEmpty()) {
            return nextRound();
        }
        beginRound(all);
        return all;
    }

    @Override
    public synchronized void joinChanged(SegmentContainer where) {
        FetchWatches told = watches;
        if (phase == FetchPhase.READING_ONE && told != null) {
            List<FetchPartition> changed = new ArrayList<>();
            told.of(where).takeChanged(changed);
            answerIf(opened.join(changed));
            if (opened.hasOpenBeside(where)) {
                followBy(AfterRound.READ_AGAIN);
            }
        }
    }

    /** With the lock. Containers that have something to read, with what has changed. */
    private List<ContainerFetch> joinAll() {
        FetchWatches told = watches;
        if (told != null) {
            answerIf(opened.join(told.takeChanged()));
        }
        return opened.withOpen();
    }

    /** With the lock; {@link #launch} follows. */
    private void beginRound(List<ContainerFetch> round) {
        phase = phase.to(FetchPhase.reading(round.size()));
        budget.beginRound(phase == FetchPhase.READING_ONE);
        underway = round.size();
    }

    /** The caller has counted the groups in {@link #underway}. */
    private void launch(List<ContainerFetch> round) {
        for (ContainerFetch group : round) {
            group.container().execute(group);
        }
    }

    @Override
    public synchronized int beginRead(FetchPartition partition) {
        return isCompleted() ? 0 : begun(budget.grant(partition));
    }

    @Override
    public synchronized int beginPartialRead(FetchPartition partition, long available) {
        return isCompleted() ? 0 : begun(budget.grantPart(partition, available));
    }

    private int begun(int granted) {
        underway += granted > 0 ? 1 : 0;
        return granted;
    }

    @Override
    public synchronized void readEnded(int granted) {
        budget.readEnded(granted);
    }

    @Override
    public synchronized boolean isFilling() {
        return phase == FetchPhase.FILLING;
    }

    synchronized boolean isCompleted() {
        return phase == FetchPhase.ANSWERED;
    }

    @Override
    public synchronized boolean isDecided() {
        return isCompleted() || watches == null || isAnswerDue() || budget.isLacking();
    }

    /** With the lock. */
    private void answerIf(boolean due) {
        if (due) {
            followBy(AfterRound.ANSWER);
        }
    }

    /** With the lock. */
    private void followBy(AfterRound what) {
        after = after.or(what);
    }

    /** With the lock. */
    private boolean isAnswerDue() {
        return after == AfterRound.ANSWER || budget.found() >= Math.max(1, minBytes);
    }

    @Override
    public synchronized boolean record(FetchPartition partition, Runnable finding) {
        if (isCompleted()) {
            return false;
        }
        int before = partition.bytesFound();
        finding.run();
        budget.found(partition.bytesFound() - before);
        if (partition.hasAnswer() && partition.bytesFound() == 0) {
            followBy(AfterRound.ANSWER);
        }
        return true;
    }

    @Override
    public void partDone() {
        List<ContainerFetch> round;
        synchronized (this) {
            underway--;
            if (underway > 0 || isCompleted()) {
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
            List<ContainerFetch> round = opened.thatMayReadOn();
            phase = phase.to(FetchPhase.FILLING);
            underway = round.size();
            return round;
        }
        if (isAnswerDue()) {
            return null;
        }
        budget.forget(); // too little for an answer: it is read again, with what comes, when there is enough
        if (watches == null) {
            opened.letGo();
            return park(); // until its time is up
        }
        if (after == AfterRound.PARK) {
            return park();
        }
        after = AfterRound.PARK;
        List<ContainerFetch> round = joinAll();
        beginRound(round);
        return round;
    }

    private List<ContainerFetch> park() {
        phase = phase.to(FetchPhase.PARKED);
        return List.of();
    }

    @Override
    public void trigger(SegmentContainer where) {
        List<ContainerFetch> round;
        synchronized (this) {
            if (!mayBeginRound()) {
                return;
            }
            round = minBytes <= 1 ? List.of(opened.of(where)) : joinAll();
            beginRound(round);
        }
        launch(round);
    }

    /** With the lock, when there is something to read: if a round is under way another one follows it. */
    private boolean mayBeginRound() {
        if (phase.isRound()) {
            followBy(AfterRound.READ_AGAIN);
        }
        return phase == FetchPhase.PARKED;
    }

    @Override
    public void countWaiting(long more) {
        List<ContainerFetch> round;
        synchronized (this) {
            waitingBytes += more;
            if (more <= 0 || waitingBytes < minBytes || !mayBeginRound()) {
                return;
            }
            round = joinAll();
            beginRound(round);
        }
        launch(round);
    }

    @Override
    public synchronized void whileOpen(Runnable task) {
        if (!isCompleted()) {
            task.run();
        }
    }

    @Override
    public void watch(FetchPartition partition, PartitionLog log) {
        FetchWatches told = watches;
        if (told != null) {
            told.of(log.container()).watch(partition, log);
        }
    }

    @Override
    public void watchFromFetchToFetch(FetchPartition partition, PartitionLog log) {
        if (plan.watches() != null) {
            watch(partition, log);
        }
    }

    @Override
    public void lost(FetchPartition partition, Errors error) {
        synchronized (this) {
            if (isCompleted() || partition.isForgotten() || partition.hasAnswer()) {
                return;
            }
            if (!partition.isJoined()) {
                opened.add(partition);
            }
            partition.fail(error);
            followBy(AfterRound.ANSWER);
            if (phase.isRound()) {
                return; // the end of the round answers
            }
        }
        complete();
    }

    private void expire() {
        List<ContainerFetch> round = List.of();
        synchronized (this) {
            followBy(AfterRound.ANSWER);
            if (isCompleted() || (phase.isRound() && budget.found() == 0)) {
                return; // the end of the round answers
            }
            if (opened.isEmpty() && watches == null) {
                answerIf(opened.openAll());
            }
            if (phase == FetchPhase.PARKED && (minBytes > 1 || watches == null)) {
                round = joinAll();
                beginRound(round);
            }
        }
        if (round.isEmpty()) {
            complete();
        } else {
            launch(round);
        }
    }

    @Override
    public void expireNow() {
        complete();
    }

    /** Ends the wait: the answer, and the next fetch of the session, look at the rights anew. */
    private void rightsChanged() {
        synchronized (this) {
            followBy(AfterRound.ANSWER);
            if (isCompleted() || phase.isRound()) {
                return; // the end of the round answers
            }
        }
        complete();
    }

    private void complete() {
        synchronized (this) {
            if (isCompleted()) {
                return;
            }
            phase = phase.to(FetchPhase.ANSWERED);
            budget.trim();
        }
        FetchWatches told = watches;
        if (told != null) {
            told.end();
            if (told != plan.watches()) {
                told.close();
            }
        }
        FetchWaits taken = room;
        if (taken != null) {
            taken.giveBack(plan.partitions().size());
        }
        context.complete(this);
    }

    @Override
    public ApiMessage make() {
        checkRights();
        FetchSession session = plan.session();
        FetchAnswer answer = new FetchAnswer(plan, context.version());
        opened.all().forEach(answer::add);
        if (context.version() >= FetchAnswer.FIRST_WITH_LEADERS && answer.sendsElsewhere()) {
            answer.name(lookUp.get().leaders());
        }
        if (session != null) {
            sessions.rotate(session, answer.gaveData());
        }
        return answer.message();
    }

    /** It may have waited for a minute since the client's rights were looked at. */
    private void checkRights() {
        FetchLogs logs = lookUp.get();
        if (logs.rights() != rights) {
            opened.all().stream().filter(each -> !logs.mayRead(each)).forEach(FetchPartition::deny);
        }
    }

    @Override
    public void release() {
        opened.all().forEach(FetchPartition::reset);
        sessions.end(plan, opened.all());
    }
}
