package io.sluice.perf.result;

/**
 * Rounds of a comparison that a side did not go through: it did not start, refused records or never caught up.
 *
 * @param rounds of both sides
 */
public record Failures(int sluice, int peer, int rounds) {
    public static final Failures NONE = new Failures(0, 0, 0);

    public boolean isAny() {
        return sluice + peer > 0;
    }

    /** The side with fewer failures is ahead, whatever the figures of the other rounds. */
    Verdict verdict() {
        if (sluice == peer) {
            return Verdict.EVEN;
        }
        return sluice < peer ? Verdict.BETTER : Verdict.WORSE;
    }

    /** "Sluice failed 1, peer 2 of 3 rounds"; empty for none. */
    public String text() {
        if (!isAny()) {
            return "";
        }
        String own = sluice > 0 ? "Sluice failed " + sluice + (peer > 0 ? ", peer " + peer : "") : "failed " + peer;
        return own + " of " + rounds + (rounds == 1 ? " round" : " rounds");
    }
}
