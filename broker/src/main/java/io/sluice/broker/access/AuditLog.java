package io.sluice.broker.access;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log: who was refused what, logins that failed, changes of users and rights; a line each, of {@code name=value} pairs, by a logger of
 * its own. It has no secrets. Any thread.
 *
 * <p>What clients cause is bounded: the same line comes once a minute, with how often it was left out, and there are so many lines a second.
 */
public final class AuditLog {
    /** Name of the logger. */
    public static final String NAME = "sluice.audit";

    /** Lines of refusals and failed logins in a second, and as many at once. */
    static final int LINES_PER_SECOND = 20;

    /** Lines that are remembered, so as not to be said again; about 500 bytes each. */
    private static final int REMEMBERED = 1_000;

    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
    private static final int LONGEST_VALUE = 300;
    private static final Pattern PLAIN = Pattern.compile("[\\p{Alnum}_.:@/*,+-]+");

    private static final Logger LOG = LoggerFactory.getLogger(NAME);

    private final LongSupplier nanoTime;
    private final Map<String, Said> said = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Said> eldest) {
            return size() > REMEMBERED;
        }
    };
    private double room = LINES_PER_SECOND;
    private long filledAt;
    private long leftOut;

    private static final class Said {
        final long at;
        long times;

        Said(long at) {
            this.at = at;
        }
    }

    public AuditLog() {
        this(System::nanoTime);
    }

    /** @param nanoTime a clock that only rises, in nanoseconds */
    AuditLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.filledAt = nanoTime.getAsLong();
    }

    /** A client may not do what it asked for. */
    void refused(Principal who, Operation operation, ResourceType type, String name) {
        limited("refused" + pair("user", who.name()) + from(who) + pair("operation", operation.name())
                + pair("resource", type + ":" + name));
    }

    /** A client has as much as it may have. */
    public void refused(Principal who, String why) {
        limited("refused" + pair("user", who.name()) + from(who) + pair("why", why));
    }

    /**
     * A client was not let in.
     *
     * @param way as its protocol calls it
     * @param user as the client says; empty where it says none
     * @param why as the client is told
     */
    public void loginFailed(String listener, String host, String way, String user, String why) {
        limited("login-failed" + (user.isEmpty() ? "" : pair("user", user)) + pair("host", host)
                + pair("listener", listener) + pair("way", way) + pair("why", why));
    }

    /** Rules were {@code added} or {@code removed}. */
    public static void rules(String change, Principal by, Collection<AccessRule> rules) {
        for (AccessRule rule : rules) {
            LOG.info(
                    "rule-{}{}{}{}{}{}{}{}",
                    change,
                    pair("by", by.name()),
                    from(by),
                    pair("rule", rule.allows() ? "allow" : "deny"),
                    pair("principal", rule.principal()),
                    pair("from", rule.host()),
                    pair("operation", rule.operation().name()),
                    pair(
                            rule.resource().prefixed() ? "resources-with" : "resource",
                            rule.resource().type() + ":" + rule.resource().name()));
        }
    }

    /** A user was {@code added}, {@code changed} or {@code removed}. */
    public static void user(String change, Principal by, String name) {
        LOG.info("user-{}{}{}{}", change, pair("by", by.name()), from(by), pair("user", name));
    }

    /** A user was added because a setting says so. */
    public static void userBySetting(String setting, String name) {
        LOG.info("user-added{}{}", pair("by", setting), pair("user", name));
    }

    /**
     * Quotas of clients were changed.
     *
     * @param entity users and client ids that have them
     * @param limits that were changed, and to what
     */
    public static void quotas(Principal by, String entity, String limits) {
        LOG.info(
                "quotas-changed{}{}{}{}",
                pair("by", by.name()),
                from(by),
                pair("entity", entity),
                pair("limits", limits));
    }

    /** A delegation token was {@code issued}, {@code renewed} or {@code expired}, at once or at another time. */
    public static void delegationToken(String change, Principal by, String owner, String id) {
        LOG.info(
                "delegation-token-{}{}{}{}{}",
                change,
                pair("by", by.name()),
                from(by),
                pair("owner", owner),
                pair("token", id));
    }

    private static String from(Principal who) {
        Principal proxy = who.proxy();
        return (proxy == null ? "" : pair("proxy", proxy.name()))
                + pair("host", who.host())
                + pair("listener", who.listener());
    }

    /** Values come from clients: they can neither end the line nor make up another pair. */
    private static String pair(String name, String value) {
        String part = value.length() > LONGEST_VALUE ? value.substring(0, LONGEST_VALUE) + "..." : value;
        return " " + name + "=" + (PLAIN.matcher(part).matches() ? part : quoted(part));
    }

    private static String quoted(String value) {
        var text = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        return text.append('"').toString();
    }

    private void limited(String line) {
        long times;
        long lost;
        synchronized (this) {
            long now = nanoTime.getAsLong();
            Said before = said.get(line);
            if (before != null && now - before.at < MINUTE) {
                before.times++;
                return;
            }
            room = Math.min(
                    LINES_PER_SECOND,
                    room + (now - filledAt) * (double) LINES_PER_SECOND / TimeUnit.SECONDS.toNanos(1));
            filledAt = now;
            if (room < 1) {
                leftOut++;
                return;
            }
            room--;
            times = before == null ? 0 : before.times;
            said.remove(line); // so that it is the youngest
            said.put(line, new Said(now));
            lost = leftOut;
            leftOut = 0;
        }
        if (lost > 0) {
            LOG.info("left-out lines={}", lost);
        }
        LOG.info(times == 0 ? "{}" : "{} before={}", line, times);
    }
}
