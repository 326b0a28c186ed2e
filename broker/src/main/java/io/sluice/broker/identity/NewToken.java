package io.sluice.broker.identity;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Claims of a token that is made.
 *
 * @param name claim {@code sub}
 * @param groups claim {@code groups}; none if empty
 * @param expires null for a token without an end
 * @param issuer claim {@code iss}; none if empty
 * @param audience claim {@code aud}; none if empty
 */
public record NewToken(
        String name, Set<String> groups, @Nullable Instant expires, String issuer, String audience) {}
