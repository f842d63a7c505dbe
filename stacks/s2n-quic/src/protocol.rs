//! TLS without a negotiation of the application protocol. s2n-quic insists on one (RFC 9001, section
//! 8.1); the other implementations negotiate none, and refuse whoever does. It is told one that was
//! agreed upon without that.

use std::any::Any;
use std::error::Error;
use std::task::{Poll, Waker};

use bytes::Bytes;
use s2n_codec::EncoderValue;
use s2n_quic_core::application::ServerName;
use s2n_quic_core::crypto::CryptoSuite;
use s2n_quic_core::crypto::tls::{
    ApplicationParameters, ConnectionInfo, Context, Endpoint, NamedGroup, Session, TlsSession,
};
use s2n_quic_core::transport;

use crate::identity::NAME;

/// TLS whose sessions are [`AgreedSession`]s.
#[derive(Debug)]
pub(crate) struct Agreed<E>(pub(crate) E);

impl<E: Endpoint> Endpoint for Agreed<E> {
    type Session = AgreedSession<E::Session>;

    fn new_server_session<Params: EncoderValue>(
        &mut self,
        parameters: &Params,
        info: ConnectionInfo,
    ) -> Self::Session {
        AgreedSession { session: self.0.new_server_session(parameters, info), is_told: false }
    }

    fn new_client_session<Params: EncoderValue>(
        &mut self,
        parameters: &Params,
        name: ServerName,
    ) -> Self::Session {
        AgreedSession { session: self.0.new_client_session(parameters, name), is_told: false }
    }

    fn max_tag_length(&self) -> usize {
        self.0.max_tag_length()
    }
}

/// A session that says first which protocol was agreed upon.
#[derive(Debug)]
pub(crate) struct AgreedSession<S> {
    session: S,
    is_told: bool,
}

impl<S: CryptoSuite> CryptoSuite for AgreedSession<S> {
    type HandshakeKey = S::HandshakeKey;
    type HandshakeHeaderKey = S::HandshakeHeaderKey;
    type InitialKey = S::InitialKey;
    type InitialHeaderKey = S::InitialHeaderKey;
    type OneRttKey = S::OneRttKey;
    type OneRttHeaderKey = S::OneRttHeaderKey;
    type ZeroRttKey = S::ZeroRttKey;
    type ZeroRttHeaderKey = S::ZeroRttHeaderKey;
    type RetryKey = S::RetryKey;
}

impl<S: Session> Session for AgreedSession<S> {
    fn poll<C: Context<Self>>(&mut self, context: &mut C) -> Poll<Result<(), transport::Error>> {
        if !self.is_told {
            self.is_told = true;
            context.on_application_protocol(Bytes::from_static(NAME.as_bytes()))?;
        }
        self.session.poll(&mut Passed(context))
    }

    fn process_post_handshake_message<C: Context<Self>>(
        &mut self,
        context: &mut C,
    ) -> Result<(), transport::Error> {
        self.session.process_post_handshake_message(&mut Passed(context))
    }

    fn should_discard_session(&self) -> bool {
        self.session.should_discard_session()
    }
}

/// The context of the session within, which is that of the session around it.
struct Passed<'a, C>(&'a mut C);

type Done = Result<(), transport::Error>;

impl<S: Session, C: Context<AgreedSession<S>>> Context<S> for Passed<'_, C> {
    fn on_client_application_params(
        &mut self,
        client: ApplicationParameters<'_>,
        server: &mut Vec<u8>,
    ) -> Done {
        self.0.on_client_application_params(client, server)
    }

    fn on_handshake_keys(&mut self, key: S::HandshakeKey, header: S::HandshakeHeaderKey) -> Done {
        self.0.on_handshake_keys(key, header)
    }

    fn on_zero_rtt_keys(
        &mut self,
        key: S::ZeroRttKey,
        header: S::ZeroRttHeaderKey,
        parameters: ApplicationParameters<'_>,
    ) -> Done {
        self.0.on_zero_rtt_keys(key, header, parameters)
    }

    fn on_one_rtt_keys(
        &mut self,
        key: S::OneRttKey,
        header: S::OneRttHeaderKey,
        parameters: ApplicationParameters<'_>,
    ) -> Done {
        self.0.on_one_rtt_keys(key, header, parameters)
    }

    fn on_server_name(&mut self, name: ServerName) -> Done {
        self.0.on_server_name(name)
    }

    fn on_application_protocol(&mut self, protocol: Bytes) -> Done {
        self.0.on_application_protocol(protocol)
    }

    fn on_key_exchange_group(&mut self, group: NamedGroup) -> Done {
        self.0.on_key_exchange_group(group)
    }

    fn on_handshake_complete(&mut self) -> Done {
        self.0.on_handshake_complete()
    }

    fn on_tls_context(&mut self, context: Box<dyn Any + Send>) {
        self.0.on_tls_context(context);
    }

    fn on_tls_exporter_ready(&mut self, session: &impl TlsSession) -> Done {
        self.0.on_tls_exporter_ready(session)
    }

    fn on_tls_handshake_failed(
        &mut self,
        session: &impl TlsSession,
        error: Box<dyn Error + Send + Sync + 'static>,
    ) -> Done {
        self.0.on_tls_handshake_failed(session, error)
    }

    fn receive_initial(&mut self, most: Option<usize>) -> Option<Bytes> {
        self.0.receive_initial(most)
    }

    fn receive_handshake(&mut self, most: Option<usize>) -> Option<Bytes> {
        self.0.receive_handshake(most)
    }

    fn receive_application(&mut self, most: Option<usize>) -> Option<Bytes> {
        self.0.receive_application(most)
    }

    fn can_send_initial(&self) -> bool {
        self.0.can_send_initial()
    }

    fn send_initial(&mut self, bytes: Bytes) {
        self.0.send_initial(bytes);
    }

    fn can_send_handshake(&self) -> bool {
        self.0.can_send_handshake()
    }

    fn send_handshake(&mut self, bytes: Bytes) {
        self.0.send_handshake(bytes);
    }

    fn can_send_application(&self) -> bool {
        self.0.can_send_application()
    }

    fn send_application(&mut self, bytes: Bytes) {
        self.0.send_application(bytes);
    }

    fn waker(&self) -> &Waker {
        self.0.waker()
    }
}
