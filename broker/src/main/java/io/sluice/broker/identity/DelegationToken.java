package io.sluice.broker.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Base64;
import java.util.Set;
import java.util.TreeSet;

/**
 * Kafka's delegation token, without its secret: a client that knows this acts as the owner.
 *
 * @param owner name of a user
 * @param requester that asked for it: the owner, or who may ask in the owner's name
 * @param renewers others that may renew it and end it
 * @param issuedAt in milliseconds since the epoch, as the other times are
 * @param lastsUntil after which it cannot be renewed
 * @param expiresAt unless it is renewed before
 */
public record DelegationToken(
        String id,
        String owner,
        String requester,
        Set<String> renewers,
        long issuedAt,
        long lastsUntil,
        long expiresAt) {
    private static final String VERSION = "1";

    public DelegationToken {
        renewers = Set.copyOf(renewers);
    }

    DelegationToken expiringAt(long time) {
        return new DelegationToken(id, owner, requester, renewers, issuedAt, lastsUntil, time);
    }

    boolean isExpired(long now) {
        return expiresAt < now || lastsUntil < now;
    }

    /** Whether this user may renew it and end it. */
    boolean isRenewedBy(String user) {
        return owner.equals(user) || renewers.contains(user);
    }

    /** Whether the user has to do with it, and so may see it. */
    public boolean concerns(String user) {
        return isRenewedBy(user) || requester.equals(user);
    }

    /** As stored: the version, the times, and names in base64, a line each. */
    byte[] encode() {
        var text = new StringBuilder(VERSION).append('\n');
        text.append(issuedAt).append(' ').append(lastsUntil).append(' ').append(expiresAt);
        text.append("\nowner ").append(base64(owner));
        text.append("\nrequester ").append(base64(requester));
        new TreeSet<>(renewers).forEach(each -> text.append("\nrenewer ").append(base64(each)));
        return text.append('\n').toString().getBytes(UTF_8);
    }

    private static String base64(String name) {
        return Base64.getEncoder().encodeToString(name.getBytes(UTF_8));
    }

    /** @throws IOException a version or a line that this server does not know */
    static DelegationToken decode(String id, byte[] stored) throws IOException {
        String[] lines = new String(stored, UTF_8).split("\n");
        if (!lines[0].equals(VERSION)) {
            throw new IOException(
                    "the record of delegation token " + id + " has version " + lines[0] + ", known is " + VERSION);
        }
        try {
            String[] times = lines[1].split(" ");
            String owner = "";
            String requester = "";
            Set<String> renewers = new TreeSet<>();
            for (int line = 2; line < lines.length; line++) {
                String[] words = lines[line].split(" ", 2);
                String name = new String(Base64.getDecoder().decode(words[1]), UTF_8);
                switch (words[0]) {
                    case "owner" -> owner = name;
                    case "requester" -> requester = name;
                    case "renewer" -> renewers.add(name);
                    default ->
                        throw new IOException("the record of delegation token " + id + " has a line '" + words[0]
                                + "', which is not known");
                }
            }
            return new DelegationToken(
                    id,
                    owner,
                    requester,
                    renewers,
                    Long.parseLong(times[0]),
                    Long.parseLong(times[1]),
                    Long.parseLong(times[2]));
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new IOException("the record of delegation token " + id + " cannot be read", e);
        }
    }
}
