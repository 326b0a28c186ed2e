package io.sluice.kafka.sasl;

import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Principal;
import io.sluice.broker.identity.DelegationTokens.RefusedException;
import java.io.IOException;
import org.apache.kafka.common.protocol.Errors;

/** Rules that the APIs of delegation tokens share. */
final class DelegationTokenRules {
    /** Time in an answer that has none. */
    static final long NO_TIME = -1;

    /** First version of answers that tell who asked for a token. */
    static final short WITH_REQUESTER = 3;

    private DelegationTokenRules() {}

    /** Whether the client has proved who it is, and not by such a token: one would beget another for ever. */
    static boolean mayAsk(Principal who) {
        return who.authentication() != Authentication.NONE && who.authentication() != Authentication.DELEGATION_TOKEN;
    }

    /** Work on tokens, which blocks. */
    interface Change {
        void carryOut() throws IOException, RefusedException;
    }

    static Errors errorOf(Change change) {
        try {
            change.carryOut();
            return Errors.NONE;
        } catch (RefusedException e) {
            return switch (e.refusal()) {
                case DISABLED -> Errors.DELEGATION_TOKEN_AUTH_DISABLED;
                case NOT_FOUND -> Errors.DELEGATION_TOKEN_NOT_FOUND;
                case EXPIRED -> Errors.DELEGATION_TOKEN_EXPIRED;
                case NOT_ITS_RENEWER -> Errors.DELEGATION_TOKEN_OWNER_MISMATCH;
                case NO_ROOM -> Errors.POLICY_VIOLATION;
            };
        } catch (IOException e) {
            return Errors.REQUEST_TIMED_OUT;
        }
    }
}
