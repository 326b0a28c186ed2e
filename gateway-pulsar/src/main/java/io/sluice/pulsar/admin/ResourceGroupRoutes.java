package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DELETE;
import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.ResourceGroups;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Resource groups, and in which of them a namespace is. */
final class ResourceGroupRoutes {
    private static final String GROUPS = "/admin/v2/resourcegroups";
    private static final String GROUP = GROUPS + "/:group";
    private static final String OF_NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace/resourcegroup";

    private final PlaceRoutes places;
    private final NamespacePolicies policies;
    private final ResourceGroups groups;

    ResourceGroupRoutes(AdminTopics topics, PlaceRoutes places) {
        this.places = places;
        this.policies = topics.services().policies();
        this.groups = topics.services().resourceGroups();
    }

    void add(Routes routes) {
        routes.cluster(DESCRIBE).get(GROUPS, r -> new JsonArray(groups.names()));
        routes.cluster(DESCRIBE).get(GROUP, this::group);
        routes.cluster(ALTER).put(GROUP, this::change);
        routes.cluster(DELETE).delete(GROUP, this::delete);
        routes.namespace(DESCRIBE_CONFIGS).get(OF_NAMESPACE, this::ofNamespace);
        routes.namespace(ALTER_CONFIGS).post(OF_NAMESPACE + "/:group", this::setOfNamespace);
        routes.namespace(ALTER_CONFIGS).delete(OF_NAMESPACE, r -> set(r, null));
    }

    private static AdminException missing(int status) {
        return new AdminException(status, "ResourceGroup does not exist");
    }

    private Object group(AdminRequest r) throws AdminException {
        ResourceGroups.Limits limits = groups.find(r.get("group"));
        if (limits == null) {
            throw missing(404);
        }
        return limits;
    }

    private @Nullable Object change(AdminRequest r) throws AdminException, IOException {
        if (!PulsarNames.isNamedEntity(r.get("group"))) {
            throw new AdminException(412, "ResourceGroup name is not valid");
        }
        ResourceGroups.Change change = PolicyRoutes.read(r.body(), ResourceGroups.Change.class);
        if (change == null) {
            throw new AdminException(400, "the request needs a body with rates");
        }
        groups.change(r.get("group"), change);
        return null;
    }

    private @Nullable Object delete(AdminRequest r) throws AdminException, IOException {
        if (groups.isUsed(r.get("group"))) {
            throw new AdminException(412, "ResourceGroup is in use");
        }
        if (!groups.delete(r.get("group"))) {
            throw missing(404);
        }
        return null;
    }

    private Object ofNamespace(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
        String name = TopicPolicies.RESOURCE_GROUP.ofNamespace(policies.of(r.tenant(), r.namespace()));
        return name == null ? Routes.NOTHING : name;
    }

    private @Nullable Object setOfNamespace(AdminRequest r) throws AdminException, IOException {
        require(groups, r.get("group"));
        return set(r, r.get("group"));
    }

    /** Refuses a group that is not there as that of a namespace. */
    static void require(ResourceGroups groups, String name) throws AdminException {
        if (groups.find(name) == null) {
            throw missing(412);
        }
    }

    private @Nullable Object set(AdminRequest r, @Nullable String group) throws AdminException, IOException {
        places.requireNamespace(r);
        policies.change(r.tenant(), r.namespace(), p -> TopicPolicies.RESOURCE_GROUP.set(p, group));
        return null;
    }
}
