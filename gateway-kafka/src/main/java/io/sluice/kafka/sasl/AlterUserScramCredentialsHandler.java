package io.sluice.kafka.sasl;

import io.sluice.broker.access.AuditLog;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.identity.ScramCredential;
import io.sluice.broker.identity.ScramHash;
import io.sluice.broker.identity.User;
import io.sluice.broker.identity.Users;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.common.message.AlterUserScramCredentialsRequestData;
import org.apache.kafka.common.message.AlterUserScramCredentialsRequestData.ScramCredentialDeletion;
import org.apache.kafka.common.message.AlterUserScramCredentialsRequestData.ScramCredentialUpsertion;
import org.apache.kafka.common.message.AlterUserScramCredentialsResponseData;
import org.apache.kafka.common.message.AlterUserScramCredentialsResponseData.AlterUserScramCredentialsResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.jspecify.annotations.Nullable;

/** AlterUserScramCredentials, version 0: users' credentials are set and taken away, each user's for itself. */
public final class AlterUserScramCredentialsHandler implements ApiHandler {
    private final KafkaServices services;
    private final Users users;

    public AlterUserScramCredentialsHandler(KafkaServices services, Users users) {
        this.services = services;
        this.users = users;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.ALTER_USER_SCRAM_CREDENTIALS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        if (!services.access().allowsOnCluster(context.principal(), Operation.ALTER)) {
            context.fail(Errors.CLUSTER_AUTHORIZATION_FAILED);
            return;
        }
        var asked = (AlterUserScramCredentialsRequestData) request.data();
        services.blocking().execute(() -> context.complete(changed(context.principal(), asked)));
    }

    private AlterUserScramCredentialsResponseData changed(Principal by, AlterUserScramCredentialsRequestData asked) {
        Map<String, ChangesOfUser> byName = new LinkedHashMap<>();
        for (ScramCredentialDeletion each : asked.deletions()) {
            byName.computeIfAbsent(each.name(), ChangesOfUser::new).delete(each.mechanism());
        }
        for (ScramCredentialUpsertion each : asked.upsertions()) {
            byName.computeIfAbsent(each.name(), ChangesOfUser::new).set(each);
        }
        var answer = new AlterUserScramCredentialsResponseData();
        byName.values().forEach(changes -> answer.results().add(changes.carryOut(by, users)));
        return answer;
    }

    /** Changes that a request wants of one user: null for a credential that is to go. */
    private static final class ChangesOfUser {
        private final String name;
        private final Map<ScramHash, @Nullable ScramCredential> wanted = new LinkedHashMap<>();
        private Errors error = Errors.NONE;
        private @Nullable String why;

        ChangesOfUser(String name) {
            this.name = name;
        }

        void delete(byte mechanism) {
            add(mechanism, null);
        }

        void set(ScramCredentialUpsertion asked) {
            if (name.isEmpty()) {
                refuse(Errors.UNACCEPTABLE_CREDENTIAL, "Username must not be empty");
            } else if (asked.iterations() < ScramCredential.LEAST_ITERATIONS) {
                refuse(Errors.UNACCEPTABLE_CREDENTIAL, "Too few iterations");
            } else if (asked.iterations() > ScramCredential.MOST_ITERATIONS) {
                refuse(Errors.UNACCEPTABLE_CREDENTIAL, "Too many iterations");
            } else {
                ScramHash hash = hashOf(asked.mechanism());
                add(
                        asked.mechanism(),
                        hash == null
                                ? null
                                : ScramCredential.of(hash, asked.saltedPassword(), asked.salt(), asked.iterations()));
            }
        }

        private void add(byte mechanism, @Nullable ScramCredential credential) {
            ScramHash hash = hashOf(mechanism);
            if (hash == null) {
                refuse(Errors.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism");
            } else if (wanted.containsKey(hash)) {
                refuse(Errors.DUPLICATE_RESOURCE, "A user credential cannot be altered twice in the same request");
            } else {
                wanted.put(hash, credential);
            }
        }

        private static @Nullable ScramHash hashOf(byte type) {
            return ScramHash.of(ScramMechanism.fromType(type).mechanismName());
        }

        /** The first reason counts. */
        private void refuse(Errors reason, @Nullable String words) {
            if (error == Errors.NONE) {
                error = reason;
                why = words;
            }
        }

        AlterUserScramCredentialsResult carryOut(Principal by, Users users) {
            if (error == Errors.NONE) {
                try {
                    User before = users.change(name, this::applyTo);
                    if (error == Errors.NONE) {
                        String change = before == null ? "added" : users.find(name) == null ? "removed" : "changed";
                        AuditLog.user(change, by, name);
                    }
                } catch (Users.RefusedException e) {
                    refuse(Errors.UNACCEPTABLE_CREDENTIAL, e.getMessage());
                } catch (IOException e) {
                    refuse(Errors.REQUEST_TIMED_OUT, "The metadata store does not answer");
                }
            }
            return new AlterUserScramCredentialsResult()
                    .setUser(name)
                    .setErrorCode(error.code())
                    .setErrorMessage(why);
        }

        private @Nullable User applyTo(@Nullable User before) {
            for (var each : wanted.entrySet()) {
                if (each.getValue() == null && (before == null || before.credential(each.getKey()) == null)) {
                    refuse(Errors.RESOURCE_NOT_FOUND, "Attempt to delete a user credential that does not exist");
                    return before;
                }
            }
            User after = before;
            for (var each : wanted.entrySet()) {
                ScramCredential credential = each.getValue();
                if (credential != null) {
                    after = (after == null ? new User(name, Set.of(), Map.of()) : after)
                            .with(each.getKey(), credential);
                } else if (after != null) {
                    after = after.without(each.getKey());
                }
            }
            return after;
        }
    }
}
