package io.sluice.pulsar.scripts;

import io.jsonwebtoken.security.Keys;
import io.sluice.pulsar.scripts.PermissionScript.Step;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.PulsarClientException;
import org.jspecify.annotations.Nullable;

/**
 * Plays scripts of grants, and of what roles try, on Apache Pulsar and on our server, and prints where one refuses what the other
 * allows. Takes the URLs of both, the file of the secret that signs tokens for both, the first and the last seed, and how many steps. See {@code
 * conformance/compare-pulsar-permissions}.
 */
public final class ComparePermissions {
    /** A grant takes a moment until it counts. */
    private static final int TRIES = 10;

    private static final long BETWEEN_TRIES = TimeUnit.MILLISECONDS.toNanos(200);

    private static final String NOT_PREFIXED = "needs to be prefixed by the authentication role";

    private static final String NO_SUCH_ROLES = "couldn't find subscription";

    /** Allowed here to more roles than there, by the names of steps. */
    private static final Map<String, String> WIDER = Map.of(
            "compaction status", "the status of a compaction is for who may see the topic's stats",
            "unload namespace", "a namespace is unloaded by administrators of its tenant, as each of its topics is");

    private int equal;
    private int refused;
    private final Map<String, Integer> known = new TreeMap<>();
    private int different;

    private ComparePermissions() {}

    public static void main(String[] args) throws Exception {
        Key secret = Keys.hmacShaKeyFor(Files.readAllBytes(Path.of(args[4])));
        var pulsar = new RoleClients.Place(args[0], args[1]);
        var ours = new RoleClients.Place(args[2], args[3]);
        String run = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        var comparison = new ComparePermissions();
        for (long seed = Long.parseLong(args[5]); seed <= Long.parseLong(args[6]); seed++) {
            try (var first = new RoleClients(pulsar, secret);
                    var second = new RoleClients(ours, secret)) {
                comparison.compare(new PermissionScript(seed, run), seed, first, second, Integer.parseInt(args[7]));
            }
        }
        comparison.known.forEach((name, count) -> System.out.println(count + " times: " + name));
        System.out.println(comparison.equal + " answers are equal, " + comparison.refused + " of them refusals, "
                + comparison.different + " differ otherwise");
        System.exit(comparison.different == 0 ? 0 : 1);
    }

    private void compare(PermissionScript script, long seed, RoleClients first, RoleClients second, int steps)
            throws Exception {
        script.begin(first);
        script.begin(second);
        List<String> before = new ArrayList<>();
        for (int at = 0; at < steps; at++) {
            Step step = script.next();
            String one = answer(step, first);
            String other = answer(step, second);
            for (int tries = 0; tries < TRIES && !one.equals(other) && difference(step, one, other) == null; tries++) {
                LockSupport.parkNanos(BETWEEN_TRIES);
                one = answer(step, first);
                other = answer(step, second);
            }
            if (step.isGrant()) {
                before.add("    " + step.text() + ": " + one);
            }
            String why = difference(step, one, other);
            if (one.equals(other)) {
                equal++;
                refused += one.equals("refused") ? 1 : 0;
            } else if (why != null) {
                known.merge(why, 1, Integer::sum);
            } else {
                different++;
                System.out.println("seed " + seed + ", step " + at + ", after");
                before.forEach(System.out::println);
                System.out.println("  " + step.text() + "\n  < " + one + "\n  > " + other);
            }
            if (!one.equals(other) && step.isGrant()) {
                return; // from here on they have other rights
            }
        }
    }

    /** Name of a difference that is on purpose; null for another. */
    private static @Nullable String difference(Step step, String ofPulsar, String ofOurs) {
        return ofPulsar.equals("refused") && ofOurs.equals("allowed") ? WIDER.get(step.name()) : null;
    }

    /** What is not refused is allowed, whatever else may be in its way: that a topic is there or not, for example. */
    private static String answer(Step step, RoleClients side) {
        try {
            step.action().run(side);
            return "allowed";
        } catch (Exception e) {
            return answer(e);
        }
    }

    private static String answer(Throwable e) {
        if (String.valueOf(e.getMessage()).contains(NOT_PREFIXED)) {
            return "refused"; // with 500 over Pulsar's HTTP
        }
        if (String.valueOf(e.getMessage()).contains(NO_SUCH_ROLES)) {
            return "allowed"; // the same
        }
        for (Throwable each = e; each != null; each = each.getCause()) {
            if (each instanceof PulsarClientException.AuthorizationException) {
                return "refused";
            }
            if (each instanceof PulsarAdminException http && http.getStatusCode() >= 400) {
                return switch (http.getStatusCode()) {
                    case 401, 403 -> "refused";
                    case 404, 405, 406, 409, 412 -> "allowed";
                    default -> "failed: " + http.getStatusCode() + " " + http.getMessage();
                };
            }
        }
        return "failed: " + e;
    }
}
