module perf-battle-go-rabbitmq

go 1.19

require github.com/rabbitmq/amqp091-go v1.9.0
