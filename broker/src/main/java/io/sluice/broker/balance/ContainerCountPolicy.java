package io.sluice.broker.balance;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Decides how many containers there are to be, by what all of them have to do. Pure. Quick to add, slow to take away.
 *
 * <pre>
 *   load of all ÷ containers
 *     busy × target   ─ ─ ─ ─ ─ ─   above it for a while: as many more as bring it to the aim
 *     aim × target    ─ ─ ─ ─ ─ ─
 *     idle × target   ─ ─ ─ ─ ─ ─   below it, were there one fewer, for long: one fewer
 * </pre>
 */
public final class ContainerCountPolicy {
    private static final double BUSY = 0.8;
    private static final double AIM = 0.6;
    private static final double IDLE = 0.4;

    private final Limits limits;

    /**
     * When the number changes.
     *
     * @param target load, in bytes a second, that a container is to have at most
     * @param least containers
     * @param most containers; at least {@code least}
     * @param busyMillis that all together are busy before there are more
     * @param idleMillis that one fewer would do before there is one fewer
     * @param restMillis after a change, in which a load spreads and nothing is decided
     */
    public record Limits(double target, int least, int most, long busyMillis, long idleMillis, long restMillis) {
        /** Half a minute of too much, a quarter of an hour of too little. */
        public static Limits of(double target, int least, int most) {
            return new Limits(target, least, most, 30_000, 900_000, 120_000);
        }

        public Limits {
            if (!(target > 0) || least < 1 || most < least) {
                throw new IllegalArgumentException(
                        "at most " + target + " bytes a second for each of " + least + " to " + most + " containers");
            }
        }
    }

    /**
     * Observations of earlier rounds. Times in milliseconds of the one clock of the decision; -1 for never.
     *
     * @param busySince all are busy
     * @param idleSince one fewer would do
     * @param changedAt the number, by a decision
     */
    public record History(long busySince, long idleSince, long changedAt) {
        public static final History NONE = new History(-1, -1, -1);
    }

    /** @param reason for people; null if the number stays */
    public record Decision(int wanted, @Nullable String reason, History history) {}

    public ContainerCountPolicy(Limits limits) {
        this.limits = limits;
    }

    /**
     * @param loads of the containers that stay, in bytes a second
     * @param leaving others are still on their way out: none is taken away meanwhile
     */
    public Decision decide(List<Double> loads, boolean leaving, History past, long now) {
        int count = loads.size();
        double load = loads.stream().mapToDouble(Double::doubleValue).sum();
        boolean busy = load > BUSY * limits.target() * count;
        boolean idle = !leaving && load < IDLE * limits.target() * (count - 1);
        History next =
                new History(since(busy, past.busySince(), now), since(idle, past.idleSince(), now), past.changedAt());
        boolean rests = past.changedAt() >= 0 && now - past.changedAt() < limits.restMillis();
        int wanted = count;
        if (!rests && count < limits.most() && busy && now - next.busySince() >= limits.busyMillis()) {
            wanted = (int) Math.min(limits.most(), Math.ceil(load / (AIM * limits.target())));
        } else if (!rests && count > limits.least() && idle && now - next.idleSince() >= limits.idleMillis()) {
            wanted = count - 1;
        }
        return wanted == count
                ? new Decision(count, null, next)
                : new Decision(wanted, reason(load, count), new History(-1, -1, now));
    }

    private static long since(boolean is, long before, long now) {
        return !is ? -1 : before < 0 ? now : before;
    }

    private String reason(double load, int count) {
        return String.format(
                Locale.ROOT,
                "%d containers have a load of %.1f MB/s together, each is to have %.1f MB/s at most",
                count,
                load / 1e6,
                limits.target() / 1e6);
    }
}
