package io.sluice.server.config;

import io.sluice.broker.access.Authentication;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** Ways of authentication by the words of the settings: {@code scram, token}, say. */
public final class Ways {
    private static final Map<String, Authentication> WORDS = Map.of(
            "password", Authentication.PASSWORD,
            "scram", Authentication.SCRAM,
            "token", Authentication.TOKEN,
            "certificate", Authentication.CERTIFICATE);

    private Ways() {}

    /** @throws ConfigException a word that is none of them */
    public static Set<Authentication> of(String section, String words) {
        Set<Authentication> ways = EnumSet.noneOf(Authentication.class);
        for (String word : words.split("[,\\s]+")) {
            if (word.isEmpty()) {
                continue;
            }
            Authentication way = WORDS.get(word);
            if (way == null) {
                throw new ConfigException(section + "authentication has '" + word
                        + "', known are certificate, password, scram and token");
            }
            ways.add(way);
        }
        return ways;
    }

    static void check(String section, boolean tls, String words) {
        Checks.given(section + "authentication", words);
        if (of(section, words).contains(Authentication.CERTIFICATE) && !tls) {
            throw new ConfigException(section + "authentication has certificate, which wants tls: true");
        }
    }
}
