package io.sluice.server.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.server.wiring.StartException;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;

/** Header and claims of a token, read without a look at its signature. */
record TokenParts(JsonObject header, JsonObject claims) {
    /** @throws StartException it is no token in the compact form of JWT; nothing of it is quoted */
    static TokenParts parse(String token) throws StartException {
        String[] parts = token.split("\\.", -1);
        if (parts.length != 3) {
            throw new StartException("this is no token (JWT): it has " + parts.length + " parts, expected are 3");
        }
        try {
            return new TokenParts(json(parts[0]), json(parts[1]));
        } catch (IllegalArgumentException | DecodeException | ClassCastException e) {
            throw new StartException("this is no token (JWT): its header and claims are not JSON in base64");
        }
    }

    private static JsonObject json(String part) {
        return new JsonObject(new String(Base64.getUrlDecoder().decode(part), UTF_8));
    }

    void print(PrintWriter out, Instant now) {
        out.printf("Algorithm  %s%n", header.getValue("alg"));
        if (header.containsKey("kid")) {
            out.printf("Key        %s%n", header.getValue("kid"));
        }
        out.printf("Claims     %s%n", claims.encode());
        out.printf("Ends       %s%n", end(now));
    }

    private String end(Instant now) {
        if (!claims.containsKey("exp")) {
            return Lifetime.NEVER;
        }
        if (!(claims.getValue("exp") instanceof Number seconds)) {
            return "its claim exp is no number";
        }
        try {
            Instant end = Instant.ofEpochSecond(seconds.longValue());
            return end + (end.isAfter(now) ? "" : ", which is over");
        } catch (DateTimeException e) {
            return "its claim exp is no time";
        }
    }
}
