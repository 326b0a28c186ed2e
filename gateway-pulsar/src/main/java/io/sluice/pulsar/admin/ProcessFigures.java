package io.sluice.pulsar.admin;

import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PoolChunkListMetric;
import io.netty.buffer.PoolSubpageMetric;
import io.netty.buffer.PooledByteBufAllocatorMetric;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import org.apache.pulsar.common.stats.AllocatorStats;
import org.apache.pulsar.common.stats.Metrics;
import org.apache.pulsar.policies.data.loadbalancer.ResourceUsage;
import org.apache.pulsar.policies.data.loadbalancer.SystemResourceUsage;
import org.jspecify.annotations.Nullable;

/** Figures of the process: processor, memory, its beans, its network buffers. */
final class ProcessFigures {
    private static final double MEBIBYTE = 1024.0 * 1024;
    private static final double PERCENT = 100;

    private ProcessFigures() {}

    /** Processor in percent of one, memory in MiB. What the network does is not measured: 0 of 0. */
    static SystemResourceUsage usage() {
        Runtime runtime = Runtime.getRuntime();
        double processors = PERCENT * runtime.availableProcessors();
        double load =
                ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                        ? Math.max(0, system.getProcessCpuLoad())
                        : 0;
        SystemResourceUsage usage = new SystemResourceUsage();
        usage.setCpu(new ResourceUsage(load * processors, processors));
        usage.setMemory(new ResourceUsage(
                (runtime.totalMemory() - runtime.freeMemory()) / MEBIBYTE, runtime.maxMemory() / MEBIBYTE));
        usage.setDirectMemory(new ResourceUsage(
                directBytes() / MEBIBYTE, io.netty.util.internal.PlatformDependent.maxDirectMemory() / MEBIBYTE));
        usage.setBandwidthIn(new ResourceUsage());
        usage.setBandwidthOut(new ResourceUsage());
        return usage;
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    static Metrics metrics() {
        Runtime runtime = Runtime.getRuntime();
        Metrics metrics = Metrics.create(Map.of("metric", "jvm_metrics"));
        metrics.put("jvm_start_time", ManagementFactory.getRuntimeMXBean().getStartTime());
        metrics.put("jvm_heap_used", runtime.totalMemory() - runtime.freeMemory());
        metrics.put("jvm_max_memory", runtime.maxMemory());
        metrics.put("jvm_total_memory", runtime.totalMemory());
        metrics.put("jvm_direct_memory_used", directBytes());
        metrics.put("jvm_thread_cnt", ManagementFactory.getThreadMXBean().getThreadCount());
        long count = 0;
        long millis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            count += Math.max(0, collector.getCollectionCount());
            millis += Math.max(0, collector.getCollectionTime());
        }
        metrics.put("jvm_gc_count", count);
        metrics.put("jvm_gc_pause", millis);
        return metrics;
    }

    // ---- beans

    /** Numbers and truth values of every bean, also those in a composite: nothing that a setting or an argument may have in it. */
    static List<Metrics> mbeans() {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        List<Metrics> all = new ArrayList<>();
        for (ObjectName name : server.queryNames(null, null)) {
            Metrics metrics = Metrics.create(Map.of("MBean", name.toString()));
            try {
                MBeanAttributeInfo[] infos = server.getMBeanInfo(name).getAttributes();
                String[] readable = Arrays.stream(infos)
                        .filter(MBeanAttributeInfo::isReadable)
                        .map(MBeanAttributeInfo::getName)
                        .toArray(String[]::new);
                for (Attribute each : server.getAttributes(name, readable).asList()) {
                    put(metrics, each.getName(), each.getValue());
                }
            } catch (JMException | RuntimeException e) {
                continue; // a bean that is gone, or cannot be read now
            }
            if (!metrics.getMetrics().isEmpty()) {
                all.add(metrics);
            }
        }
        return all;
    }

    private static void put(Metrics metrics, String name, @Nullable Object value) {
        switch (value) {
            case Double d when !Double.isFinite(d) -> {}
            case Number n -> metrics.put(name, n);
            case Boolean b -> metrics.put(name, b);
            case CompositeData data -> {
                for (String key : data.getCompositeType().keySet()) {
                    put(metrics, name + "_" + key, data.get(key));
                }
            }
            case null, default -> {}
        }
    }

    // ---- network buffers

    static AllocatorStats allocator(PooledByteBufAllocatorMetric metric) {
        AllocatorStats stats = new AllocatorStats();
        stats.directArenas =
                metric.directArenas().stream().map(ProcessFigures::arena).toList();
        stats.heapArenas =
                metric.heapArenas().stream().map(ProcessFigures::arena).toList();
        stats.numDirectArenas = metric.numDirectArenas();
        stats.numHeapArenas = metric.numHeapArenas();
        stats.numThreadLocalCaches = metric.numThreadLocalCaches();
        stats.normalCacheSize = metric.normalCacheSize();
        stats.smallCacheSize = metric.smallCacheSize();
        stats.usedDirectMemory = metric.usedDirectMemory();
        stats.usedHeapMemory = metric.usedHeapMemory();
        return stats;
    }

    private static AllocatorStats.PoolArenaStats arena(PoolArenaMetric metric) {
        AllocatorStats.PoolArenaStats stats = new AllocatorStats.PoolArenaStats();
        stats.numSmallSubpages = metric.numSmallSubpages();
        stats.numChunkLists = metric.numChunkLists();
        stats.smallSubpages =
                metric.smallSubpages().stream().map(ProcessFigures::subpage).toList();
        stats.chunkLists =
                metric.chunkLists().stream().map(ProcessFigures::chunks).toList();
        stats.numAllocations = metric.numAllocations();
        stats.numSmallAllocations = metric.numSmallAllocations();
        stats.numNormalAllocations = metric.numNormalAllocations();
        stats.numHugeAllocations = metric.numHugeAllocations();
        stats.numDeallocations = metric.numDeallocations();
        stats.numSmallDeallocations = metric.numSmallDeallocations();
        stats.numNormalDeallocations = metric.numNormalDeallocations();
        stats.numHugeDeallocations = metric.numHugeDeallocations();
        stats.numActiveAllocations = metric.numActiveAllocations();
        stats.numActiveSmallAllocations = metric.numActiveSmallAllocations();
        stats.numActiveNormalAllocations = metric.numActiveNormalAllocations();
        stats.numActiveHugeAllocations = metric.numActiveHugeAllocations();
        return stats;
    }

    private static AllocatorStats.PoolSubpageStats subpage(PoolSubpageMetric metric) {
        AllocatorStats.PoolSubpageStats stats = new AllocatorStats.PoolSubpageStats();
        stats.maxNumElements = metric.maxNumElements();
        stats.numAvailable = metric.numAvailable();
        stats.elementSize = metric.elementSize();
        stats.pageSize = metric.pageSize();
        return stats;
    }

    private static AllocatorStats.PoolChunkListStats chunks(PoolChunkListMetric metric) {
        AllocatorStats.PoolChunkListStats stats = new AllocatorStats.PoolChunkListStats();
        stats.minUsage = metric.minUsage();
        stats.maxUsage = metric.maxUsage();
        stats.chunks = new ArrayList<>();
        metric.forEach(each -> {
            AllocatorStats.PoolChunkStats chunk = new AllocatorStats.PoolChunkStats();
            chunk.usage = each.usage();
            chunk.chunkSize = each.chunkSize();
            chunk.freeBytes = each.freeBytes();
            stats.chunks.add(chunk);
        });
        return stats;
    }
}
