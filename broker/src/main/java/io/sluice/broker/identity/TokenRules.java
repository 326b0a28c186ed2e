package io.sluice.broker.identity;

/**
 * Tokens that are taken.
 *
 * @param secretFile of the secret that signs them; empty if there is none
 * @param publicKeyFile of the key that verifies them; empty if there is none
 * @param jwks file or URL of a provider's keys; empty if there is none
 * @param issuer that they must name; empty for any
 * @param audience that they must name; empty for any
 * @param nameClaim claim with the user's name
 * @param groupsClaim claim with the names of groups, a list or one text
 */
public record TokenRules(
        String secretFile,
        String publicKeyFile,
        String jwks,
        String issuer,
        String audience,
        String nameClaim,
        String groupsClaim) {
    /** No token is taken. */
    public static final TokenRules NONE = new TokenRules("", "", "", "", "", "sub", "groups");
}
