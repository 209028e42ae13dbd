/** The bare loop for `perf-battle call mqtt --mqtt-broker rabbitmq`: that of Mosquitto, which tells them apart by PB_MQTT_BROKER. */
import './mqtt.js';
