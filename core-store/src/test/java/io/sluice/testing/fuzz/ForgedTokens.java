package io.sluice.testing.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;
import java.util.Random;

/** Tokens (JWT) that are made of a good one, and that no server may take. No small damage makes one of them good. */
public final class ForgedTokens {
    private static final int DEEPEST = 20_000;

    private ForgedTokens() {}

    /** @param good a signed token of the algorithm HS256 */
    public static String of(String good, Random random) {
        String[] parts = good.split("\\.", -1);
        String payload = parts[1];
        String signature = parts[2];
        return switch (random.nextInt(9)) {
            case 0 -> base64("{\"alg\":\"none\"}") + "." + payload + ".";
            case 1 -> base64("{\"alg\":\"None\"}") + "." + payload + "." + signature;
            case 2 -> base64("{\"alg\":\"RS256\"}") + "." + payload + "." + signature;
            case 3 ->
                base64("{\"alg\":\"HS256\",\"jwk\":{\"kty\":\"oct\",\"k\":\"AAAA\"}}") + "." + payload + "."
                        + signature;
            case 4 -> base64("{\"alg\":\"HS256\",\"zip\":\"DEF\"}") + "." + payload + "." + signature;
            case 5 -> parts[0] + "." + base64("{\"sub\":\"root\"}") + "." + signature;
            case 6 -> parts[0] + "." + payload + ".";
            case 7 -> parts[0] + "." + payload;
            default -> base64("[".repeat(1 + random.nextInt(DEEPEST))) + "." + payload + "." + signature;
        };
    }

    private static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
    }
}
