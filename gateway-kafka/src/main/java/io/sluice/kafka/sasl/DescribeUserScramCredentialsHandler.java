package io.sluice.kafka.sasl;

import io.sluice.broker.access.Operation;
import io.sluice.broker.identity.User;
import io.sluice.broker.identity.Users;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.common.message.DescribeUserScramCredentialsRequestData;
import org.apache.kafka.common.message.DescribeUserScramCredentialsRequestData.UserName;
import org.apache.kafka.common.message.DescribeUserScramCredentialsResponseData;
import org.apache.kafka.common.message.DescribeUserScramCredentialsResponseData.CredentialInfo;
import org.apache.kafka.common.message.DescribeUserScramCredentialsResponseData.DescribeUserScramCredentialsResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

/** DescribeUserScramCredentials, version 0: mechanisms and iterations of users, never what proves a password. */
public final class DescribeUserScramCredentialsHandler implements ApiHandler {
    private final KafkaServices services;
    private final Users users;

    public DescribeUserScramCredentialsHandler(KafkaServices services, Users users) {
        this.services = services;
        this.users = users;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        if (!services.access().allowsOnCluster(context.principal(), Operation.DESCRIBE)) {
            context.fail(Errors.CLUSTER_AUTHORIZATION_FAILED);
            return;
        }
        List<UserName> asked = ((DescribeUserScramCredentialsRequestData) request.data()).users();
        var answer = new DescribeUserScramCredentialsResponseData();
        if (asked == null || asked.isEmpty()) {
            users.all().forEach(user -> answer.results().add(described(user)));
        } else {
            Set<String> seen = new HashSet<>();
            Set<String> twice = new HashSet<>();
            asked.forEach(each -> {
                if (!seen.add(each.name())) {
                    twice.add(each.name());
                }
            });
            seen.forEach(name -> answer.results().add(described(name, twice.contains(name))));
        }
        context.complete(answer);
    }

    private DescribeUserScramCredentialsResult described(String name, boolean twice) {
        if (twice) {
            return refused(
                    name,
                    Errors.DUPLICATE_RESOURCE,
                    "Cannot describe SCRAM credentials for the same user twice in a single request: ");
        }
        User user = users.find(name);
        return user == null
                ? refused(
                        name, Errors.RESOURCE_NOT_FOUND, "Attempt to describe a user credential that does not exist: ")
                : described(user);
    }

    private static DescribeUserScramCredentialsResult refused(String name, Errors error, String why) {
        return new DescribeUserScramCredentialsResult()
                .setUser(name)
                .setErrorCode(error.code())
                .setErrorMessage(why + name);
    }

    private static DescribeUserScramCredentialsResult described(User user) {
        var result = new DescribeUserScramCredentialsResult().setUser(user.name());
        user.credentials()
                .forEach((hash, credential) -> result.credentialInfos()
                        .add(new CredentialInfo()
                                .setMechanism(ScramMechanism.fromMechanismName(hash.mechanism())
                                        .type())
                                .setIterations(credential.iterations())));
        return result;
    }
}
