//! Each feature of the Rust client `pulsar` against a running server: a line "= feature: yes" for one that works, "-" for one that this client
//! does not have, else why not.
//!
//! usage: features SERVICE_URL

use std::collections::BTreeSet;
use std::future::Future;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::TryStreamExt;
use pulsar::compression::{Compression, CompressionLz4, CompressionSnappy, CompressionZlib, CompressionZstd};
use pulsar::consumer::{DeadLetterPolicy, InitialPosition, Message};
use pulsar::message::proto::{schema, MessageIdData, Schema};
use pulsar::producer::ProducerOptions;
use pulsar::{Consumer, ConsumerOptions, Producer, Pulsar, SubType, TokioExecutor};
use tokio::time::timeout;

const SOON: Duration = Duration::from_secs(20);

type Why = Box<dyn std::error::Error + Send + Sync>;
type Done = Result<(), Why>;
type Client = Pulsar<TokioExecutor>;
type Reading = Consumer<Vec<u8>, TokioExecutor>;

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970")
}

fn topic(name: &str) -> String {
    format!("persistent://public/default/rust-{name}-{}", now().as_nanos())
}

fn check(right: bool, otherwise: impl Into<String>) -> Done {
    if right { Ok(()) } else { Err(otherwise.into().into()) }
}

async fn subscribe(client: &Client, topic: &str, kind: SubType, options: ConsumerOptions) -> Result<Reading, Why> {
    let options = options.with_initial_position(InitialPosition::Earliest);
    Ok(client.consumer().with_topic(topic).with_subscription("s").with_subscription_type(kind).with_options(options).build().await?)
}

async fn producer(client: &Client, topic: &str, options: ProducerOptions) -> Result<Producer<TokioExecutor>, Why> {
    Ok(client.producer().with_topic(topic).with_options(options).build().await?)
}

async fn send(client: &Client, topic: &str, values: &[&str]) -> Result<Vec<MessageIdData>, Why> {
    let mut producer = producer(client, topic, ProducerOptions::default()).await?;
    let mut ids = Vec::new();
    for value in values {
        let receipt = producer.send_non_blocking(value.to_string()).await?.await?;
        ids.push(receipt.message_id.ok_or("a receipt without an id")?);
    }
    Ok(ids)
}

async fn next(consumer: &mut Reading) -> Result<Message<Vec<u8>>, Why> {
    Ok(timeout(SOON, consumer.try_next()).await??.ok_or("the consumer has ended")?)
}

async fn expect(consumer: &mut Reading, value: &str) -> Done {
    let got = next(consumer).await?.deserialize();
    check(got == value.as_bytes(), format!("got other bytes than {value:.20}"))
}

async fn round_trip(client: &Client, kind: SubType, batches: bool) -> Done {
    let topic = topic("types");
    let mut consumer = subscribe(client, &topic, kind, ConsumerOptions::default()).await?;
    let batch_size = if batches { Some(10) } else { None };
    let mut producer = producer(client, &topic, ProducerOptions { batch_size, ..Default::default() }).await?;
    let mut receipts = Vec::new();
    for n in 0..20 {
        let message = producer.create_message().with_key(format!("k{}", n % 3)).with_content(n.to_string());
        receipts.push(message.send_non_blocking().await?);
    }
    for receipt in receipts {
        timeout(SOON, receipt).await??;
    }
    let mut got = Vec::new();
    let mut batched = 0;
    for _ in 0..20 {
        let message = next(&mut consumer).await?;
        batched += usize::from(message.message_id.batch_size.unwrap_or(0) > 1);
        got.push(String::from_utf8(message.deserialize())?.parse::<usize>()?);
        consumer.ack(&message).await?;
    }
    let ordered = matches!(kind, SubType::Exclusive | SubType::Failover);
    check(!ordered || got.windows(2).all(|two| two[0] < two[1]), "out of order")?;
    check((batched > 0) == batches, format!("{batched} of 20 came in batches"))?;
    check(got.iter().collect::<BTreeSet<_>>().len() == 20, "some came twice")
}

async fn passes(client: &Client, topic: &str, value: &str, options: ProducerOptions) -> Done {
    let mut consumer = subscribe(client, topic, SubType::Exclusive, ConsumerOptions::default()).await?;
    let mut producer = producer(client, topic, options).await?;
    producer.send_non_blocking(value.to_string()).await?.await?;
    expect(&mut consumer, value).await
}

async fn compression(client: &Client) -> Done {
    for kind in [
        Compression::Lz4(CompressionLz4::default()),
        Compression::Zlib(CompressionZlib::default()),
        Compression::Zstd(CompressionZstd::default()),
        Compression::Snappy(CompressionSnappy::default()),
    ] {
        let options = ProducerOptions { compression: Some(kind), ..Default::default() };
        passes(client, &topic("compressed"), &"x".repeat(100_000), options).await?;
    }
    Ok(())
}

async fn schemas(client: &Client) -> Done {
    let definition = br#"{"type":"record","name":"Person","fields":[{"name":"name","type":"string"}]}"#;
    let person = Schema {
        r#type: schema::Type::Json as i32,
        schema_data: definition.to_vec(),
        ..Default::default()
    };
    let topic = topic("schemas");
    let options = ConsumerOptions::default().with_schema(person.clone());
    let mut consumer = subscribe(client, &topic, SubType::Exclusive, options).await?;
    let other = Schema { r#type: schema::Type::String as i32, ..Default::default() };
    let refused = producer(client, &topic, ProducerOptions { schema: Some(other), ..Default::default() }).await;
    check(refused.is_err(), "another schema is taken")?;
    let mut producer = producer(client, &topic, ProducerOptions { schema: Some(person), ..Default::default() }).await?;
    producer.send_non_blocking(r#"{"name":"Ann"}"#.to_string()).await?.await?;
    let message = next(&mut consumer).await?;
    check(message.metadata().schema_version.is_some(), "no version of the schema")?;
    check(message.deserialize() == br#"{"name":"Ann"}"#, "another value")
}

async fn negative(client: &Client) -> Done {
    let topic = topic("negative");
    let mut consumer = subscribe(client, &topic, SubType::Shared, ConsumerOptions::default()).await?;
    send(client, &topic, &["1", "2"]).await?;
    let first = next(&mut consumer).await?;
    let second = next(&mut consumer).await?;
    consumer.ack(&second).await?;
    consumer.nack(&first).await?;
    expect(&mut consumer, "1").await
}

async fn dead_letters(client: &Client) -> Done {
    let (topic, letters) = (topic("dead"), topic("letters"));
    let mut dead = subscribe(client, &letters, SubType::Exclusive, ConsumerOptions::default()).await?;
    let policy = DeadLetterPolicy { max_redeliver_count: 1, dead_letter_topic: letters };
    let options = ConsumerOptions::default().with_initial_position(InitialPosition::Earliest);
    let mut consumer: Reading = client
        .consumer()
        .with_topic(&topic)
        .with_subscription("s")
        .with_subscription_type(SubType::Shared)
        .with_options(options)
        .with_dead_letter_policy(policy)
        .build()
        .await?;
    send(client, &topic, &["1"]).await?;
    let first = next(&mut consumer).await?;
    consumer.nack(&first).await?;
    // the client looks at the count of what comes next, and sends it on by itself
    let reading = tokio::spawn(async move {
        while let Ok(Some(again)) = consumer.try_next().await {
            if consumer.nack(&again).await.is_err() {
                return;
            }
        }
    });
    let came = expect(&mut dead, "1").await;
    reading.abort();
    came
}

async fn delayed(client: &Client) -> Done {
    let topic = topic("delayed");
    let mut consumer = subscribe(client, &topic, SubType::Shared, ConsumerOptions::default()).await?;
    let mut producer = producer(client, &topic, ProducerOptions::default()).await?;
    let due = now() + Duration::from_millis(1_500);
    let later = producer.create_message().with_content("1".to_string()).deliver_at(UNIX_EPOCH + due)?;
    later.send_non_blocking().await?.await?;
    producer.send_non_blocking("2".to_string()).await?.await?;
    expect(&mut consumer, "2").await?;
    expect(&mut consumer, "1").await?;
    check(now().as_millis() >= due.as_millis(), "it came too early")
}

async fn readers(client: &Client) -> Done {
    let topic = topic("read");
    let ids = send(client, &topic, &["1", "2", "3"]).await?;
    let earliest = MessageIdData { ledger_id: u64::MAX, entry_id: u64::MAX, ..Default::default() };
    // the message that it starts on is read, too: other clients leave it out by themselves
    for (start, value) in [(earliest, "1"), (ids[1].clone(), "2")] {
        let options = ConsumerOptions::default().starting_on_message(start);
        let mut reader: pulsar::reader::Reader<Vec<u8>, _> = client.reader().with_topic(&topic).with_options(options).into_reader().await?;
        let message = timeout(SOON, reader.try_next()).await??.ok_or("the reader has ended")?;
        check(message.deserialize() == value.as_bytes(), format!("not {value} but {:?}", String::from_utf8_lossy(&message.deserialize())))?;
    }
    Ok(())
}

async fn seek(client: &Client) -> Done {
    let topic = topic("seek");
    // this client subscribes anew while its first consumer is there: it hangs where only one may be, on Apache Pulsar, too
    let mut consumer = subscribe(client, &topic, SubType::Shared, ConsumerOptions::default()).await?;
    let begun = now() - Duration::from_secs(1);
    send(client, &topic, &["1", "2"]).await?;
    for _ in 0..2 {
        let message = next(&mut consumer).await?;
        consumer.ack(&message).await?;
    }
    consumer.seek(None, None, Some(begun.as_millis() as u64), client.clone()).await?;
    expect(&mut consumer, "1").await
}

async fn pattern(client: &Client) -> Done {
    let topic = topic("pattern");
    let mut producer = producer(client, &format!("{topic}-a"), ProducerOptions::default()).await?;
    let mut consumer: Reading = client
        .consumer()
        .with_lookup_namespace("public/default")
        .with_topic_regex(regex::Regex::new(&format!("{topic}-.*"))?)
        .with_subscription("s")
        .with_subscription_type(SubType::Shared)
        .build()
        .await?;
    producer.send_non_blocking("1".to_string()).await?.await?;
    expect(&mut consumer, "1").await
}

async fn show(name: &str, using: impl Future<Output = Done>) {
    let result = match timeout(3 * SOON, using).await {
        Err(_) => "not done in a minute".to_string(),
        Ok(Ok(())) => "yes".to_string(),
        Ok(Err(why)) => why.to_string().lines().next().unwrap_or("failed").to_string(),
    };
    println!("= {name}: {result}");
}

#[tokio::main]
async fn main() -> Done {
    let url = std::env::args().nth(1).ok_or("usage: features SERVICE_URL")?;
    let client = &Pulsar::builder(url, TokioExecutor).build().await?;
    let live = topic("live").replacen("persistent:", "non-persistent:", 1);
    show("produce, consume", round_trip(client, SubType::Exclusive, false)).await;
    show("batches", round_trip(client, SubType::Exclusive, true)).await;
    show("compression", compression(client)).await;
    show("schemas", schemas(client)).await;
    show("Failover", round_trip(client, SubType::Failover, true)).await;
    show("Shared", round_trip(client, SubType::Shared, true)).await;
    show("Key_Shared", round_trip(client, SubType::KeyShared, false)).await;
    show("negative acknowledgement", negative(client)).await;
    show("dead letters", dead_letters(client)).await;
    show("delayed delivery", delayed(client)).await;
    println!("= transactions: -");
    show("readers", readers(client)).await;
    show("seek", seek(client)).await;
    println!("= table views: -");
    show("non-persistent topics", passes(client, &live, "1", ProducerOptions::default())).await;
    show("patterns of topics", pattern(client)).await;
    println!("= chunks: -\n= encryption: -\nall ok");
    Ok(())
}
