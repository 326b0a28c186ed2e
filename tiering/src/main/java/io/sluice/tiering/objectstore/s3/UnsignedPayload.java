package io.sluice.tiering.objectstore.s3;

import java.net.URI;
import java.util.concurrent.CompletableFuture;
import software.amazon.awssdk.http.auth.aws.scheme.AwsV4AuthScheme;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.AsyncSignRequest;
import software.amazon.awssdk.http.auth.spi.signer.AsyncSignedRequest;
import software.amazon.awssdk.http.auth.spi.signer.SignRequest;
import software.amazon.awssdk.http.auth.spi.signer.SignedRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.IdentityProvider;
import software.amazon.awssdk.identity.spi.IdentityProviders;

/**
 * Signs requests over plain http as the SDK signs those over https: the headers, not the body. Without it the blocking client
 * runs SHA-256 over every object, which is twice the CPU of everything else in an upload. What the body should be is among
 * the signed headers, as a CRC32C.
 *
 * <p>The signer looks only at the scheme to decide, so it is shown https. The scheme is no part of a signature; the host is, with
 * its port unless that is the scheme's own.
 */
final class UnsignedPayload implements AwsV4AuthScheme, AwsV4HttpSigner {
    private final AwsV4HttpSigner signer = AwsV4HttpSigner.create();

    static boolean isFor(URI endpoint) {
        return "http".equals(endpoint.getScheme()) && endpoint.getPort() != 80 && endpoint.getPort() != 443;
    }

    @Override
    public String schemeId() {
        return SCHEME_ID;
    }

    @Override
    public IdentityProvider<AwsCredentialsIdentity> identityProvider(IdentityProviders providers) {
        return providers.identityProvider(AwsCredentialsIdentity.class);
    }

    @Override
    public AwsV4HttpSigner signer() {
        return this;
    }

    @Override
    public SignedRequest sign(SignRequest<? extends AwsCredentialsIdentity> request) {
        return signHeaders(request);
    }

    private <T extends AwsCredentialsIdentity> SignedRequest signHeaders(SignRequest<T> request) {
        SignedRequest signed = signer.sign(request.copy(copy -> copy.putProperty(PAYLOAD_SIGNING_ENABLED, false)
                .request(request.request().toBuilder().protocol("https").build())));
        return signed.copy(copy ->
                copy.request(signed.request().toBuilder().protocol("http").build()));
    }

    @Override
    public CompletableFuture<AsyncSignedRequest> signAsync(AsyncSignRequest<? extends AwsCredentialsIdentity> request) {
        return signer.signAsync(request);
    }
}
