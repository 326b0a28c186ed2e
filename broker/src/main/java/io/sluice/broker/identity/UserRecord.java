package io.sluice.broker.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A user as stored: {@code 1} in the first line, its version; then a line for each group ({@code group NAME}) and each credential
 * ({@code SCRAM-SHA-256 iterations salt storedKey serverKey}), bytes in base64.
 */
final class UserRecord {
    private static final String VERSION = "1";

    private UserRecord() {}

    static byte[] encode(User user) {
        Base64.Encoder base64 = Base64.getEncoder();
        var text = new StringBuilder(VERSION).append('\n');
        user.sortedGroups().forEach(group -> text.append("group ").append(group).append('\n'));
        for (ScramHash hash : ScramHash.values()) {
            ScramCredential credential = user.credential(hash);
            if (credential != null) {
                text.append(String.join(
                                " ",
                                hash.mechanism(),
                                Integer.toString(credential.iterations()),
                                base64.encodeToString(credential.salt()),
                                base64.encodeToString(credential.storedKey()),
                                base64.encodeToString(credential.serverKey())))
                        .append('\n');
            }
        }
        return text.toString().getBytes(UTF_8);
    }

    /** @throws IOException a version or a line that this server does not know */
    static User decode(String name, byte[] stored) throws IOException {
        String[] lines = new String(stored, UTF_8).split("\n");
        if (!lines[0].equals(VERSION)) {
            throw new IOException("the record of user " + name + " has version " + lines[0] + ", known is " + VERSION);
        }
        Set<String> groups = new HashSet<>();
        Map<ScramHash, ScramCredential> credentials = new EnumMap<>(ScramHash.class);
        for (int i = 1; i < lines.length; i++) {
            String[] words = lines[i].split(" ", 2);
            ScramHash hash = ScramHash.of(words[0]);
            if (words.length == 2 && words[0].equals("group")) {
                groups.add(words[1]);
            } else if (words.length == 2 && hash != null) {
                credentials.put(hash, credential(name, words[1]));
            } else {
                throw new IOException(
                        "the record of user " + name + " has a line '" + words[0] + "', which is not known");
            }
        }
        return new User(name, groups, credentials);
    }

    private static ScramCredential credential(String name, String text) throws IOException {
        String[] words = text.split(" ");
        try {
            Base64.Decoder base64 = Base64.getDecoder();
            return new ScramCredential(
                    base64.decode(words[1]),
                    base64.decode(words[2]),
                    base64.decode(words[3]),
                    Integer.parseInt(words[0]));
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new IOException("the record of user " + name + " has a credential that cannot be read", e);
        }
    }
}
