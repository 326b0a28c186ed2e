package io.sluice.tiering.objectstore.s3;

import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoreTraffic;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import javax.net.ssl.TrustManager;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** The SDK's client and what it does not close itself. One thread watches the timeouts of all calls. */
record S3Connection(S3Client client, ScheduledExecutorService timer) implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(3);

    /** @throws ObjectStoreException the file of authorities is missing or is none; in one line */
    static S3Connection open(S3Settings settings, StoreTraffic traffic) throws ObjectStoreException {
        SdkHttpClient.Builder<?> http = http(settings);
        ScheduledExecutorService timer = newTimer();
        S3ClientBuilder builder = S3Client.builder()
                .region(Region.of(settings.place().region()))
                .credentialsProvider(credentials(settings))
                .forcePathStyle(settings.place().pathStyle())
                .disableS3ExpressSessionAuth(true)
                .serviceConfiguration(s3 -> s3.chunkedEncodingEnabled(false))
                // Objects carry the checksum that S3ObjectStore has computed; the SDK adds its own where none is
                // optional.
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .httpClientBuilder(http)
                .overrideConfiguration(calls -> calls.scheduledExecutorService(timer)
                        .apiCallTimeout(settings.limits().call())
                        .apiCallAttemptTimeout(settings.limits().attempt())
                        .retryStrategy(StandardRetryStrategy.builder()
                                .maxAttempts(settings.limits().attempts())
                                .build())
                        .addExecutionInterceptor(new CountRequests(traffic)));
        URI endpoint = settings.place().endpoint();
        if (endpoint != null) {
            builder.endpointOverride(endpoint);
            if (UnsignedPayload.isFor(endpoint)) {
                builder.putAuthScheme(new UnsignedPayload());
            }
        }
        return new S3Connection(builder.build(), timer);
    }

    private static SdkHttpClient.Builder<?> http(S3Settings settings) throws ObjectStoreException {
        S3Settings.Limits limits = settings.limits();
        Apache5HttpClient.Builder http = Apache5HttpClient.builder();
        if (settings.authorities() != null) {
            TrustManager[] trust = OwnAuthorities.read(settings.authorities());
            http.tlsTrustManagersProvider(() -> trust);
        }
        return http.maxConnections(limits.connections())
                .connectionTimeout(limits.attempt().compareTo(CONNECT) < 0 ? limits.attempt() : CONNECT)
                .connectionAcquisitionTimeout(limits.attempt())
                .socketTimeout(limits.attempt());
    }

    private static AwsCredentialsProvider credentials(S3Settings settings) {
        S3Settings.AccessKey key = settings.accessKey();
        return key == null
                ? DefaultCredentialsProvider.builder().build()
                : StaticCredentialsProvider.create(AwsBasicCredentials.create(key.id(), key.secret()));
    }

    private static ScheduledExecutorService newTimer() {
        var timer = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = Executors.defaultThreadFactory().newThread(work);
            thread.setName("tier-timeouts");
            thread.setDaemon(true);
            return thread;
        });
        // Nearly every timeout is cancelled; kept until it is due, each would hold its call.
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    @Override
    public void close() {
        client.close();
        timer.shutdownNow();
    }
}
