import COpenSSL
import StoreKit

func release(_ container: UnsafeMutablePointer<PKCS7>?) { PKCS7_free(container) }

func canBuy() -> Bool { SKPaymentQueue.canMakePayments() }
