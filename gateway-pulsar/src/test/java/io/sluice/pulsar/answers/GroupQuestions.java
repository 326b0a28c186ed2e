package io.sluice.pulsar.answers;

/** Resource groups, and namespaces that are in one. */
final class GroupQuestions {
    private static final String GROUPS = "/admin/v2/resourcegroups";
    private static final String GROUP = GROUPS + "/shared";
    private static final String OF_NAMESPACE = "/admin/v2/namespaces/acme/app/resourcegroup";
    private static final String OF_NONE = "/admin/v2/namespaces/acme/none/resourcegroup";

    private final Questions q;

    GroupQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        q.get("resource groups where there is none", GROUPS);
        q.get("missing resource group", GROUP);
        q.put(
                "create resource group",
                GROUP,
                "{\"publishRateInMsgs\":1000000,\"publishRateInBytes\":1000000000,\"dispatchRateInMsgs\":2000000,"
                        + "\"dispatchRateInBytes\":2000000000}");
        q.get("resource groups", GROUPS);
        q.get("resource group", GROUP);
        q.put("update resource group", GROUP, "{\"publishRateInMsgs\":1000001}");
        q.getUntil(
                "resource group after an update",
                GROUP,
                a -> String.valueOf(a.body()).contains("1000001"));
        q.put("update resource group with a bad body", GROUP, "no JSON");
        q.put("create resource group without a body", GROUPS + "/empty", "");
        q.put("create resource group without rates", GROUPS + "/empty", "{}");
        q.get("resource group without rates", GROUPS + "/empty");
        q.delete("delete resource group without rates", GROUPS + "/empty");
        q.get("resource group of a namespace where none is set", OF_NAMESPACE);
        q.get("resource group of a missing namespace", OF_NONE);
        q.post("set missing resource group of a namespace", OF_NAMESPACE + "/none", "");
        q.post("set resource group of a namespace", OF_NAMESPACE + "/shared", "");
        q.post("set resource group of a missing namespace", OF_NONE + "/shared", "");
        q.get("resource group of a namespace", OF_NAMESPACE);
        q.get("namespace with a resource group", "/admin/v2/namespaces/acme/app");
        q.delete("delete resource group in use", GROUP);
        q.delete("remove resource group of a namespace", OF_NAMESPACE);
        q.get("resource group of a namespace after removal", OF_NAMESPACE);
        q.delete("delete resource group", GROUP);
        q.delete("delete resource group again", GROUP);
    }
}
